import { describe, expect, test } from "@jest/globals";
import type { Clock } from "@tickwheel/core";
import { MeteredClock } from "./metered-clock.js";

/** A clock whose timers are fired by the test. */
function blockedClock() {
  const fire: (() => void)[] = [];
  const state = { nowMs: 0 };
  const clock: Clock = {
    monotonicMs: () => state.nowMs,
    setTimer: (_, callback) => (fire.push(callback), { clear: () => undefined }),
    soon: queueMicrotask,
    nextTurn: queueMicrotask,
  };
  return { clock, fire, state };
}

describe("MeteredClock", () => {
  test("MeteredClock returns the worst delay of a timer since the last call", () => {
    const { clock, fire, state } = blockedClock();
    const metered = new MeteredClock(clock);
    const rung: number[] = [];
    metered.setTimer(10, () => rung.push(1));
    metered.setTimer(30, () => rung.push(2));
    state.nowMs = 35;
    for (const callback of fire) callback();
    expect(rung).toEqual([1, 2]);
    expect(metered.takeWorstLagMs()).toBe(25);
    expect(metered.takeWorstLagMs()).toBe(0);
  });

  test("MeteredClock leaves timers of more than a second as they are", () => {
    const { clock, fire, state } = blockedClock();
    const metered = new MeteredClock(clock);
    const rung: number[] = [];
    metered.setTimer(1_001, () => rung.push(1));
    state.nowMs = 2_000;
    fire[0]!();
    expect([rung, metered.takeWorstLagMs()]).toEqual([[1], 0]);
  });
});
