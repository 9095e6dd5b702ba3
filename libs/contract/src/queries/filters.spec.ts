import { describe, expect, test } from "@jest/globals";
import type { Fault } from "@tickwheel/core";
import { checkInput } from "../input/input-check.js";
import { batchFilterInput, journalInput, previewInput, scheduleRunsInput } from "./filters.js";

const ID = "019ab0aa-1111-7222-8333-123456789ABC";

function faultsOf(schema: Parameters<typeof checkInput>[0], value: unknown): readonly Fault[] {
  return checkInput(schema, value).faults;
}

describe("a filter in code", () => {
  test("a filter in code has the defaults of the query, and nothing that was not given", () => {
    expect(checkInput(batchFilterInput, {}).input).toEqual({ limit: 50 });
    expect(checkInput(previewInput, {}).input).toEqual({ count: 10 });
  });

  test("a filter in code takes values in place of texts, by the names of code", () => {
    expect(checkInput(batchFilterInput, { states: ["open"], before: ID })).toEqual({
      input: { limit: 50, states: ["open"], before: ID.toLowerCase() },
      faults: [],
    });
    expect(checkInput(journalInput, { after: 50 }).input).toEqual({ limit: 50, after: 50 });
    expect(checkInput(scheduleRunsInput, { before: 3, limit: 1 }).input).toEqual({ limit: 1, before: 3 });
  });

  test("a filter in code is refused with every fault at once, in the words of the query", () => {
    const given = { state: "open", states: "open", namePrefix: "", limit: 201, before: "x" };
    expect(faultsOf(batchFilterInput, given)).toEqual([
      { path: "state", message: "is not a known field" },
      { path: "states", message: expect.stringMatching(/^must be among filling, /) },
      { path: "namePrefix", message: expect.stringMatching(/^must be 1 to \d+ characters without NUL/) },
      { path: "limit", message: "must be an integer from 1 to 200" },
      { path: "before", message: "must be a cursor that this list gave" },
    ]);
    expect(faultsOf(previewInput, { from: "tomorrow" })).toEqual([
      { path: "from", message: "must be an instant: a Date, epoch milliseconds, or ISO 8601 with offset" },
    ]);
  });

  test("a filter in code is refused where its fields contradict each other, by the names of code", () => {
    expect(faultsOf(previewInput, { from: -1 })).toEqual([{ path: "from", message: "must not be before 1970" }]);
  });

  test.each([-1, 1.5, "1", null])("a filter in code takes no cursor %j of a list that counts", (after) => {
    expect(faultsOf(journalInput, { after })).toEqual([
      { path: "after", message: "must be a cursor that this list gave" },
    ]);
  });
});
