import { describe, expect, test } from "@jest/globals";
import { boundsAfter, longLookInMs, sweepFrom, sweepLook } from "./sweep-bounds.js";

const clock = { dbNow: 100_000, lookbackMs: 60_000 };

describe("the sweep's lower bound", () => {
  test("the sweep has no lower bound before the first complete sweep of a type", () => {
    expect(sweepFrom(new Map(), 1, clock)).toBeNull();
    expect(sweepFrom(boundsAfter(new Map(), { now: 90_000, shortTypes: [2] }), 1, clock)).toBeNull();
  });

  test("the sweep's lower bound lies one lookback before the last complete sweep", () => {
    const bounds = boundsAfter(new Map(), { now: 90_000, shortTypes: [1] });
    expect(sweepFrom(bounds, 1, clock)).toBe(30_000);
  });

  test("a sweep with a full page leaves the sweep's lower bound where it was", () => {
    const bounds = boundsAfter(new Map([[1, 90_000]]), { now: 99_000, shortTypes: [] });
    expect(sweepFrom(bounds, 1, clock)).toBe(30_000);
  });

  test("a clock that was set back pulls the sweep's lower bound back too", () => {
    expect(sweepFrom(new Map([[1, 500_000]]), 1, clock)).toBe(40_000);
  });
});

describe("how far back a sweep looks", () => {
  const options = { sweepLookbackMs: 60_000, fullSweepIntervalMs: 60_000 };

  test("a sweep looks back all the way, or a twelfth of it", () => {
    expect([true, false].map((isLong) => sweepLook(isLong, options).lookbackMs)).toEqual([60_000, 5_000]);
  });

  test("a sweep looks back all the way each time while that is fast, seldom while slow, six times between full sweeps at least", () => {
    expect([2, 50, 150, 5_000].map((tookMs) => longLookInMs(tookMs, options))).toEqual([100, 2_500, 7_500, 10_000]);
  });
});
