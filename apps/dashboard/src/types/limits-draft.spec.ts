import { expect, test } from "@jest/globals";
import { limitsDraftOf, readLimits } from "./limits-draft.js";

const EMPTY = limitsDraftOf(null);
const NONE = { ok: true, body: { maxRunning: null, rate: null } };

test("the draft of a type without limits is empty, but that a rate is of a second", () => {
  expect(EMPTY).toEqual({ maxRunning: "", count: "", per: "1s", burst: "" });
  expect(readLimits(EMPTY)).toEqual(NONE);
});

test("a type's limits that are set are shown, and sent again as they are", () => {
  const limits = { maxRunning: 20, running: 3, rate: { count: 100, perMs: 60_000, burst: 7 }, tokens: 2 };
  expect(readLimits(limitsDraftOf(limits))).toEqual({
    ok: true,
    body: { maxRunning: 20, rate: { count: 100, per: "1m", burst: 7 } },
  });
});

test("a rate is taken away with its number of starts, and its burst may be left to the server", () => {
  expect(readLimits({ ...EMPTY, per: "1m", burst: "5" })).toEqual(NONE);
  expect(readLimits({ ...EMPTY, count: "100", per: "500" })).toEqual({
    ok: true,
    body: { maxRunning: null, rate: { count: 100, per: 500 } },
  });
});

test.each([
  [{ maxRunning: "0" }, "At once in the whole cluster: give a whole number from 1 to 1,000, or nothing."],
  [{ count: "1.5" }, "Starts: give a whole number from 1 to 1,000,000, or nothing."],
  [{ count: "5", burst: "many" }, "At once after a rest: give a whole number from 1 to 1,000,000, or nothing."],
])("the typed limits %j are not sent", (typed, why) => {
  expect(readLimits({ ...EMPTY, ...typed })).toEqual({ ok: false, why });
});
