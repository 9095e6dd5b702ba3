import { expect, test } from "@jest/globals";
import { handlerDelivery } from "./delivery.js";
import { jsonTextOf } from "./json-text.js";
import { misfitOf } from "./merge-misfit.js";
import type { MergeJudge } from "./task.js";

const FAULT = { path: "payload.n", message: "must be <= 5" };
const atMost5: MergeJudge = (payload) => ((JSON.parse(payload) as { n: number }).n > 5 ? [FAULT] : []);
const refuses: MergeJudge = () => [FAULT];
const merge = (judge: MergeJudge | undefined, version: number | null = null) => ({
  ...(judge && { judge }),
  delivery: handlerDelivery(version),
});
const stored = (n: number, version: number | null = null) => ({
  payload: jsonTextOf({ n }),
  delivery: handlerDelivery(version),
});

test("the payload that merges come to is judged by the judge of the last merge", () => {
  expect(misfitOf([merge(atMost5)], stored(5))).toBeNull();
  expect(misfitOf([merge(atMost5)], stored(6))).toEqual({ code: "VALIDATION_FAILED", faults: [FAULT] });
  expect(misfitOf([merge(refuses), merge(atMost5)], stored(5))).toBeNull();
});

test("merges without a judge may stay, whatever their versions", () => {
  expect(misfitOf([merge(undefined, 1)], stored(6, 2))).toBeNull();
  expect(misfitOf([merge(undefined, 1), merge(atMost5, 2)], stored(5, 2))).toBeNull();
});

test.each([
  [1, 2, "has version 1, and the stored payload has version 2: only equal ones can be merged"],
  [null, 2, "has no version, and the stored payload has version 2: only equal ones can be merged"],
  [3, null, "has version 3, and the stored payload has no version: only equal ones can be merged"],
])("a merge of version %s into one of version %s is a conflict that names both", (given, held, message) => {
  const faults = [{ path: "payload", message }];
  expect(misfitOf([merge(atMost5, given), merge(atMost5, held)], stored(1, held))).toEqual({
    code: "MERGE_CONFLICT",
    faults,
  });
});
