import { describe, expect, test } from "@jest/globals";
import {
  formatAge,
  formatClock,
  formatCount,
  formatDistance,
  formatDuration,
  formatInstant,
  formatNumberOf,
} from "./format.js";

describe("formatDuration", () => {
  test.each([
    [0, "0 ms"],
    [0.42, "0.4 ms"],
    [9.94, "9.9 ms"],
    [9.97, "10 ms"],
    [310.4, "310 ms"],
    [999.6, "1 s"],
    [4_218, "4.2 s"],
    [59_949, "59.9 s"],
    [59_960, "1 min"],
    [725_000, "12 min 5 s"],
    [3_599_700, "1 h"],
    [11_520_000, "3 h 12 min"],
    [86_399_000, "1 d"],
    [442_800_000, "5 d 3 h"],
    [36_525 * 86_400_000, "36,525 d"],
    [-1_500, "−1.5 s"],
    [null, "–"],
    [undefined, "–"],
  ])("a duration of %p ms reads %p", (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });
});

test("counts have their thousands separated, and a missing count is a dash", () => {
  expect([formatCount(1_234_567), formatCount(0), formatCount(null)]).toEqual(["1,234,567", "0", "–"]);
});

test("a count of one thing has its noun in the singular", () => {
  expect([formatNumberOf(1, "task"), formatNumberOf(0, "task")]).toEqual(["1 task", "0 tasks"]);
});

test("a distance in time says before or after, and now when it is near", () => {
  const now = Date.UTC(2026, 10, 21, 8);
  expect(formatDistance(now + 720_000, now)).toBe("in 12 min");
  expect(formatDistance(now - 3_000, now)).toBe("3 s ago");
  expect(formatDistance(now - 400, now)).toBe("now");
  expect(formatDistance(now - 600, now)).toBe("1 s ago");
  expect(formatDistance(now - 779_999, now)).toBe("12 min ago");
});

test("an instant is local or UTC, to the millisecond", () => {
  const at = [2026, 0, 2, 3, 4, 5, 6] as const;
  expect(formatInstant(new Date(...at).getTime(), "local")).toBe("2026-01-02 03:04:05.006");
  expect(formatInstant(Date.UTC(...at), "utc")).toBe("2026-01-02 03:04:05.006");
});

test("a clock leaves out the date of today only", () => {
  const now = new Date(2026, 0, 2, 12).getTime();
  expect(formatClock(new Date(2026, 0, 2, 3, 4, 5).getTime(), now, "local")).toBe("03:04:05");
  expect(formatClock(new Date(2026, 0, 1, 3, 4, 5).getTime(), now, "local")).toBe("2026-01-01 03:04:05");
  expect(formatClock(Date.UTC(2026, 0, 1, 23, 59), Date.UTC(2026, 0, 2), "utc")).toBe("2026-01-01 23:59:00");
});

test.each([
  [-5, "< 1 s"],
  [999, "< 1 s"],
  [4_900, "4 s"],
  [59_999, "59 s"],
  [150_000, "2 min"],
  [3_660_000, "1 h 1 min"],
])("a length of %d ms that goes on reads %s", (lengthMs, text) => {
  expect(formatAge(lengthMs)).toBe(text);
});
