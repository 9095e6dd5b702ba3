import { expect, test } from "@jest/globals";
import { zoneClock } from "@tickwheel/schedules";
import { wallClockOf } from "./wall-clock.js";

const HOUR = 3_600_000;

test.each([
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Asia/Kathmandu", "2026-11-24"],
])("in %s the days around %s begin, and their hours come, when they do by the clock of schedules", (name, day) => {
  const known = zoneClock(name);
  const clock = wallClockOf((at) => known.wallAt(at) - at);
  const start = Date.parse(`${day}T00:00Z`) - 24 * HOUR;
  const walls = Array.from({ length: 144 }, (_, half) => start + (half * HOUR) / 2);
  expect(walls.map((wall) => clock.firstFrom(wall))).toEqual(walls.map((wall) => known.firstFrom(wall)));
});
