import { describe, expect, test } from "@jest/globals";
import { boundsAfter, sweepFrom } from "./sweep-bounds.js";

const clock = { dbNow: 100_000, lookbackMs: 60_000 };

describe("the sweep's lower bound", () => {
  test("there is none before the first complete sweep of a type", () => {
    expect(sweepFrom(new Map(), 1, clock)).toBeNull();
    expect(sweepFrom(boundsAfter(new Map(), { now: 90_000, shortTypes: [2] }), 1, clock)).toBeNull();
  });

  test("it lies a lookback before the last complete sweep", () => {
    const bounds = boundsAfter(new Map(), { now: 90_000, shortTypes: [1] });
    expect(sweepFrom(bounds, 1, clock)).toBe(30_000);
  });

  test("a sweep that came back full leaves it where it was", () => {
    const bounds = boundsAfter(new Map([[1, 90_000]]), { now: 99_000, shortTypes: [] });
    expect(sweepFrom(bounds, 1, clock)).toBe(30_000);
  });

  test("a clock that was set back pulls it back too", () => {
    expect(sweepFrom(new Map([[1, 500_000]]), 1, clock)).toBe(40_000);
  });
});
