import { describe, expect, test } from "@jest/globals";
import { seriesFaults, timesOf } from "./series-times.js";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

describe("the times of a series", () => {
  test("the times of a series are durations from now and instants", () => {
    const at = ["1d", 3 * DAY_MS, "2026-01-08T00:00:00Z", new Date(NOW + 9 * DAY_MS)];
    const laterMs = [2, 4, 2].map((day) => day * DAY_MS);
    expect(timesOf(at, NOW)).toEqual({ due: { delayMs: DAY_MS }, laterMs, faults: [] });
    const instants = [new Date(NOW + DAY_MS), "2d"];
    expect(timesOf(instants, NOW)).toEqual({ due: { at: NOW + DAY_MS }, laterMs: [DAY_MS], faults: [] });
  });

  test("the times of a series are refused where they are no list, too few or too many", () => {
    for (const at of [undefined, "1d", [], ["1d"], Array.from({ length: 101 }, (_, day) => `${day + 1}d`)])
      expect(timesOf(at, NOW).faults).toEqual([{ path: "at", message: expect.stringMatching(/a list of 2 to 100/) }]);
  });

  test("times of a series are refused each at its place: what is no time, what comes not later, what is too far", () => {
    const { faults } = timesOf(["soon", "2d", "1d", "2d", new Date(Number.NaN), "200000d"], NOW);
    expect(faults.map(({ path }) => path)).toEqual(["at[0]", "at[2]", "at[4]", "at[5]"]);
  });
});

test("a series has a key, no time of its own, and no policy that moves or merges", () => {
  expect(seriesFaults({ key: "k", onConflict: "replace", priority: 1 })).toEqual([]);
  const wrong = { delay: "1d", merge: {}, deliver: {}, idempotencyKey: "i", onConflict: "refresh" };
  const paths = seriesFaults(wrong).map(({ path }) => path);
  expect(paths).toEqual(["delay", "merge", "deliver", "idempotencyKey", "key", "onConflict"]);
});
