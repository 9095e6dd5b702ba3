import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { SkewedTime } from "./skewed-time.js";

describe("SkewedTime", () => {
  test("SkewedTime runs at its own rate, and says how long the base clock takes to its instants", async () => {
    const clock = new ManualClock(100);
    const time = new SkewedTime(clock, { startMs: 1_000, rate: 2 });
    expect(time.nowMs()).toBe(1_000);
    await clock.advance(50);
    expect(time.nowMs()).toBe(1_100);
    expect([time.delayUntil(1_200), time.delayUntil(1_000)]).toEqual([50, -50]);
  });

  test("another rate of SkewedTime counts from now on, and steps go both ways", async () => {
    const clock = new ManualClock();
    const time = new SkewedTime(clock);
    await clock.advance(100);
    time.setRate(0.5);
    expect(time.nowMs()).toBe(100);
    await clock.advance(100);
    expect(time.nowMs()).toBe(150);
    time.step(-120);
    expect(time.nowMs()).toBe(30);
    time.step(1_000);
    await clock.advance(2);
    expect(time.nowMs()).toBe(1_031);
  });

  test("a clock of SkewedTime cannot stand still", () => {
    expect(() => new SkewedTime(new ManualClock(), { rate: 0 })).toThrow(RangeError);
  });
});
