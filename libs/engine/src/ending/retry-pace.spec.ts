import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { RetryPace } from "./retry-pace.js";

describe("RetryPace", () => {
  const paceOf = (options: { leastMs?: number; perSecond?: number }) => {
    const clock = new ManualClock();
    return { clock, pace: new RetryPace(clock, { leastMs: 100, perSecond: 10, ...options }) };
  };
  const waits = (pace: RetryPace, count: number, namespace = "a"): number[] =>
    Array.from({ length: count }, () => pace.delayMs(namespace, 0));

  test("a retry waits as long as it asks for, but at least the least time", () => {
    const { pace } = paceOf({});
    expect([pace.delayMs("a", 0), pace.delayMs("a", 99), pace.delayMs("a", 101), pace.delayMs("a", 5_000)]).toEqual([
      100, 100, 101, 5_000,
    ]);
  });

  test("retries beyond a second's worth wait for their turn, one after the other", () => {
    const { pace } = paceOf({});
    expect(waits(pace, 13)).toEqual([...Array<number>(10).fill(100), 200, 300, 400]);
  });

  test("retries of a namespace are not delayed by those of another one", () => {
    const { pace } = paceOf({});
    waits(pace, 500);
    expect(waits(pace, 2, "b")).toEqual([100, 100]);
  });

  test("the used rate of retries comes back with time, up to a second's worth", async () => {
    const { clock, pace } = paceOf({});
    waits(pace, 30);
    await clock.advance(2_000);
    expect(waits(pace, 2)).toEqual([200, 300]);
    await clock.advance(3_600_000);
    expect(waits(pace, 11)).toEqual([...Array<number>(10).fill(100), 200]);
  });

  test("a flood delays a later retry by at most an hour", () => {
    const { pace } = paceOf({ perSecond: 1 });
    const [...all] = waits(pace, 4_000);
    expect(all.at(-1)).toBe(3_600_100);
  });

  test("without a rate only the least time of a retry counts, and without that none", () => {
    expect(waits(paceOf({ perSecond: 0 }).pace, 1_000).every((wait) => wait === 100)).toBe(true);
    expect(paceOf({ perSecond: 0, leastMs: 0 }).pace.delayMs("a", 0)).toBe(0);
  });

  test("namespaces without debt of retries are forgotten", async () => {
    const { clock, pace } = paceOf({});
    for (let at = 0; at < 1_000; at++) pace.delayMs(`n${at}`, 0);
    await clock.advance(60_000);
    pace.delayMs("last", 0);
    expect((pace as unknown as { usedUntil: Map<string, number> }).usedUntil.size).toBe(1);
  });
});
