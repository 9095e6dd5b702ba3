import { expect, test } from "@jest/globals";
import { instantOf, type WallClock } from "./time-points.js";

const NOW = Date.UTC(2026, 10, 24, 23, 30);
/** One hour ahead of UTC, so it is tomorrow there. */
const EAST: WallClock = { wallAt: (at) => at + 3_600_000, firstFrom: (wall) => wall - 3_600_000 };

const ageOf = (point: unknown, clock?: WallClock) => instantOf(point, "age", { now: NOW, clock });

test("a day in a filter is its beginning and a time is that of today, on the caller's clock", () => {
  expect(ageOf("2026-11-24")).toBe(Date.UTC(2026, 10, 24));
  expect(ageOf("2026-11-24", EAST)).toBe(Date.UTC(2026, 10, 23, 23));
  expect(ageOf("06:00")).toBe(Date.UTC(2026, 10, 24, 6));
  expect(ageOf("06:00:10", EAST)).toBe(Date.UTC(2026, 10, 25, 5, 0, 10));
});

test("a duration in a filter is an age or a time to go, told from now", () => {
  expect(ageOf("2h30m")).toBe(NOW - 9_000_000);
  expect(instantOf("2h30m", "ahead", { now: NOW })).toBe(NOW + 9_000_000);
  expect(instantOf("-15m", "ahead", { now: NOW })).toBe(NOW - 900_000);
  expect(ageOf("-15m")).toBeNull();
});

test("instants in a filter are taken as they are", () => {
  expect(ageOf("2026-11-24T06:00:00+01:00")).toBe(Date.UTC(2026, 10, 24, 5));
  expect(ageOf(new Date(7))).toBe(7);
  expect(ageOf(7)).toBe(7);
});

test.each(["", "24:00", "6:00", "2026-13-01", "2026-11-24T06:00", "1y", "now", Number.NaN, null, {}])(
  "%j is no point of time",
  (point) => expect(ageOf(point)).toBeNull(),
);
