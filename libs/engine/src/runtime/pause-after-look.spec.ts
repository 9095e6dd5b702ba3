import { expect, test } from "@jest/globals";
import { pauseAfterFailedLook, pauseAfterLook } from "./periodic-service.js";

const THERE = { isPostgresAway: false };

test("a quick look is followed by its usual pause, a slow one by five times as long as it took", () => {
  expect([0, 200, 1_000].map((tookMs) => pauseAfterLook(1_000, tookMs))).toEqual([1_000, 1_000, 5_000]);
});

test("the pause after a slow look that failed grows to five times as long as it took", () => {
  const pauses = [1, 2, 3, 4, 99].map((failures) => pauseAfterFailedLook({ tookMs: 2_000, failures }, THERE));
  expect(pauses).toEqual([500, 2_000, 8_000, 10_000, 10_000]);
});

test("the pause after a quick failure, and while Postgres is away, is half a second", () => {
  expect(pauseAfterFailedLook({ tookMs: 5, failures: 9 }, THERE)).toBe(500);
  expect(pauseAfterFailedLook({ tookMs: 2_000, failures: 9 }, { isPostgresAway: true })).toBe(500);
});
