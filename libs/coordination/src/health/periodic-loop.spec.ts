import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { PeriodicLoop } from "./periodic-loop.js";

describe("a periodic loop", () => {
  test("a periodic loop runs at once, then each interval, and not after its stop", async () => {
    const clock = new ManualClock();
    const runs: number[] = [];
    const loop = new PeriodicLoop(clock, { everyMs: 100 }, () => void runs.push(clock.monotonicMs()));
    loop.start();
    loop.start();
    await clock.advance(250);
    await loop.stop();
    await loop.stop();
    await clock.advance(1_000);
    expect(runs).toEqual([0, 100, 200]);
    loop.start();
    await clock.advance(100);
    expect(runs).toEqual([0, 100, 200, 1_250, 1_350]);
    await loop.stop();
  });

  test("a periodic loop begins whole intervals after a moment that loops can share", async () => {
    const clock = new ManualClock();
    await clock.advance(10);
    const runs: number[] = [];
    const work = (): Promise<void> => {
      runs.push(clock.monotonicMs());
      return new Promise((resolve) => clock.setTimer(runs.length === 2 ? 130 : 3, resolve));
    };
    const loop = new PeriodicLoop(clock, { everyMs: 100, sinceMonoMs: 0 }, work);
    loop.start();
    await clock.advance(500);
    await loop.stop();
    expect(runs).toEqual([10, 100, 230, 300, 400, 500]);
  });

  test("a periodic loop never runs twice at once; a wake during a run causes one more run", async () => {
    const clock = new ManualClock();
    let running = 0;
    let most = 0;
    let runs = 0;
    const loop = new PeriodicLoop(clock, { everyMs: 100 }, async () => {
      most = Math.max(most, ++running);
      runs++;
      await new Promise<void>((resolve) => clock.setTimer(10, resolve));
      running--;
    });
    loop.start();
    await clock.advance(5);
    loop.wake();
    loop.wake();
    await clock.advance(30);
    expect([most, runs]).toEqual([1, 2]);
    loop.wake();
    await clock.advance(1);
    expect(runs).toBe(3);
    const stopped = loop.stop();
    await clock.advance(10);
    await stopped;
    expect(running).toBe(0);
  });

  test("a periodic loop never runs if it is stopped before its first turn", async () => {
    const clock = new ManualClock();
    let runs = 0;
    const loop = new PeriodicLoop(clock, { everyMs: 100 }, () => void runs++);
    loop.start();
    await loop.stop();
    await clock.advance(1_000);
    expect(runs).toBe(0);
  });
});
