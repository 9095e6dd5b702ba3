import { describe, expect, test } from "@jest/globals";
import type { Fault } from "@tickwheel/core";
import { checkInput } from "../input/input-check.js";
import { batchFilterInput, journalInput, previewInput, scheduleRunsInput, taskFilterInput } from "./filters.js";

const ID = "019ab0aa-1111-7222-8333-123456789ABC";

function faultsOf(schema: Parameters<typeof checkInput>[0], value: unknown): readonly Fault[] {
  return checkInput(schema, value).faults;
}

describe("a filter in code", () => {
  test("has the defaults of the query, and nothing that was not given", () => {
    expect(checkInput(taskFilterInput, {}).input).toEqual({ limit: 50 });
    expect(checkInput(previewInput, {}).input).toEqual({ count: 10 });
  });

  test("takes values in place of texts, by the names of code", () => {
    const at = Date.UTC(2026, 10, 21, 8);
    const given = {
      states: ["dead", "running"],
      live: false,
      scheduledFrom: new Date(at),
      dueFrom: at,
      createdFrom: "2026-11-21T08:00:00Z",
      after: ID,
      limit: 7,
    };
    expect(checkInput(taskFilterInput, given)).toEqual({
      input: { ...given, scheduledFrom: at, createdFrom: at, after: ID.toLowerCase() },
      faults: [],
    });
    expect(checkInput(batchFilterInput, { states: ["open"], before: ID }).faults).toEqual([]);
    expect(checkInput(journalInput, { after: 50 }).input).toEqual({ limit: 50, after: 50 });
    expect(checkInput(scheduleRunsInput, { before: 3, limit: 1 }).input).toEqual({ limit: 1, before: 3 });
  });

  test("is refused with every fault at once, in the words of the query", () => {
    const given = {
      tab: "dead",
      type: "",
      states: "dead",
      live: "true",
      scheduledFrom: NaN,
      dueTo: "tomorrow",
      limit: 201,
      after: "x",
      error: null,
    };
    const instant = "must be an instant: a Date, epoch milliseconds, or ISO 8601 with offset";
    const text = (most: number): string => `must be 1 to ${most} characters without NUL or a lone surrogate`;
    expect(faultsOf(taskFilterInput, given)).toEqual([
      { path: "tab", message: "is not a known field" },
      { path: "type", message: text(128) },
      { path: "states", message: expect.stringMatching(/^must be among scheduled, /) },
      { path: "live", message: "must be true or false" },
      { path: "error", message: text(200) },
      { path: "scheduledFrom", message: instant },
      { path: "dueTo", message: instant },
      { path: "limit", message: "must be an integer from 1 to 200" },
      { path: "after", message: "must be a cursor that this list gave" },
    ]);
  });

  test("is refused where its fields contradict each other, by the names of code", () => {
    expect(faultsOf(taskFilterInput, { dueFrom: 2, dueTo: 1, after: "x" })).toEqual([
      { path: "dueTo", message: "must be after dueFrom" },
      { path: "after", message: "must be a cursor that this list gave" },
    ]);
    expect(faultsOf(previewInput, { from: -1 })).toEqual([{ path: "from", message: "must not be before 1970" }]);
  });

  test.each([-1, 1.5, "1", null])("takes no cursor %j of a list that counts", (after) => {
    expect(faultsOf(journalInput, { after })).toEqual([
      { path: "after", message: "must be a cursor that this list gave" },
    ]);
  });
});
