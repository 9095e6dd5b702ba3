import { describe, expect, test } from "@jest/globals";
import { giveTurn, wait } from "@tickwheel/core";
import { ManualClock } from "./manual-clock.js";

describe("ManualClock", () => {
  test("ManualClock stands still until it is advanced", async () => {
    const clock = new ManualClock(5);
    expect(clock.monotonicMs()).toBe(5);
    await clock.advance(2.5);
    expect(clock.monotonicMs()).toBe(7.5);
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
  });

  test("ManualClock fires timers at their instants, and those of one instant in the order they were set", async () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonicMs()}`);
    clock.setTimer(20, note("c"));
    clock.setTimer(10, note("a"));
    clock.setTimer(10, note("b"));
    clock.setTimer(31, note("late"));
    await clock.advance(30);
    expect(fired).toEqual(["a@10", "b@10", "c@20"]);
    expect(clock.pendingTimers).toBe(1);
  });

  test("a cleared timer never fires, and clearing twice does nothing", async () => {
    const clock = new ManualClock();
    const fired: number[] = [];
    const timer = clock.setTimer(1, () => fired.push(1));
    timer.clear();
    timer.clear();
    await clock.advance(10);
    expect(fired).toEqual([]);
  });

  test("promise chains settle before the next timer fires, and timers they set fire on the way", async () => {
    const clock = new ManualClock();
    const seen: string[] = [];
    const walk = async (): Promise<void> => {
      for (let step = 0; step < 3; step++) {
        await wait(clock, 10);
        for (let hop = 0; hop < 50; hop++) await Promise.resolve();
        seen.push(`walk@${clock.monotonicMs()}`);
      }
    };
    void walk();
    clock.setTimer(10, () => seen.push("other@10"));
    await clock.advance(30);
    expect(seen).toEqual(["walk@10", "other@10", "walk@20", "walk@30"]);
  });

  test("ManualClock runs until a condition holds, and stops there", async () => {
    const clock = new ManualClock();
    let count = 0;
    const tick = (): void => {
      count++;
      clock.setTimer(10, tick);
    };
    clock.setTimer(10, tick);
    expect(await clock.runUntil(() => count === 3, 1_000)).toBe(true);
    expect(clock.monotonicMs()).toBe(30);
    expect(await clock.runUntil(() => count === 100, 50)).toBe(false);
    expect(clock.monotonicMs()).toBe(80);
  });

  test("ManualClock runs until no timer is left, and tells whether that happened in time", async () => {
    const clock = new ManualClock();
    clock.setTimer(40, () => clock.setTimer(2, () => undefined));
    expect(await clock.runUntilIdle(1_000)).toBe(true);
    expect(clock.monotonicMs()).toBe(42);
    clock.setTimer(100, () => undefined);
    expect(await clock.runUntilIdle(99)).toBe(false);
  });

  test("ManualClock refuses a second advance meanwhile, and refuses to run for ever at one instant", async () => {
    const clock = new ManualClock();
    const first = clock.advance(1);
    await expect(clock.advance(1)).rejects.toThrow("already");
    await first;
    const again = (): void => void clock.setTimer(0, again);
    again();
    await expect(clock.advance(1)).rejects.toThrow("for ever");
  });

  test("ManualClock gives turns while it stands still", async () => {
    await giveTurn(new ManualClock());
    await giveTurn(new ManualClock().forNode());
  });

  test("a halted node's timers never fire, while other timers do", async () => {
    const clock = new ManualClock();
    const dead = clock.forNode();
    const alive = clock.forNode();
    const fired: string[] = [];
    dead.setTimer(10, () => fired.push("dead"));
    alive.setTimer(10, () => fired.push("alive"));
    alive.setTimer(11, () => fired.push("cleared")).clear();
    dead.nextTurn(() => fired.push("a turn of the dead"));
    dead.halt();
    dead.setTimer(1, () => fired.push("undead"));
    await clock.advance(20);
    expect(fired).toEqual(["alive"]);
  });
});
