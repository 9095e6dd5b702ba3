import { describe, expect, test } from "@jest/globals";
import { newTaskId } from "@tickwheel/core";
import { ManualClock, SeededRandom } from "@tickwheel/testing";
import { DueEntries } from "./due-entries.js";
import { TimerDriver } from "./timer-driver.js";

/** A driver on a manual clock whose database is a thousand seconds ahead. */
function driverOf() {
  const clock = new ManualClock(0);
  const time = { aheadMs: 1_000_000 };
  let sampled = (): void => undefined;
  const earliestMs = (): number => clock.monotonicMs() + time.aheadMs;
  const dbClock = {
    earliestMs,
    timeUntilDueMs: (instant: number) => Math.max(0, Math.ceil(instant - earliestMs())),
    onSampled: (listener: () => void) => void (sampled = listener),
  };
  const entries = new DueEntries(10_000, 0);
  const polls: number[] = [];
  const expire = entries.expire.bind(entries);
  entries.expire = (nowMs, take) => {
    polls.push(clock.monotonicMs());
    return expire(nowMs, take);
  };
  const taken: { name: string; atMs: number }[] = [];
  const names = new Map<string, string>();
  const random = new SeededRandom(5);
  const driver = new TimerDriver({ clock, dbClock, entries }, (hints) => {
    for (const { id } of hints) taken.push({ name: names.get(id)!, atMs: clock.monotonicMs() });
  });
  const put = (name: string, inMs: number): void => {
    const id = newTaskId(earliestMs(), 0, random);
    names.set(id, name);
    entries.put({ id, dueAt: earliestMs() + inMs, version: 1, typeId: 1, priority: 5 }, "wheel", 0);
    driver.entriesChanged();
  };
  const step = (byMs: number): void => {
    time.aheadMs += byMs;
    sampled();
  };
  return { clock, driver, polls, taken, put, step };
}

describe("TimerDriver", () => {
  test("TimerDriver with nothing to wake for sets no timer", async () => {
    const { clock, driver } = driverOf();
    await driver.start();
    expect(clock.pendingTimers).toBe(0);
  });

  test("TimerDriver with the next entry six minutes away wakes twice: where the wheel's window begins and when it is due", async () => {
    const { clock, driver, polls, taken, put } = driverOf();
    await driver.start();
    put("a", 360_000);
    await clock.advance(359_999);
    expect([polls.length <= 1, taken]).toEqual([true, []]);
    await clock.advance(1);
    expect(polls.length).toBeLessThanOrEqual(2);
    expect(taken).toEqual([{ name: "a", atMs: 360_000 }]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("an entry due before what TimerDriver is armed for is handed out when it is due", async () => {
    const { clock, driver, taken, put } = driverOf();
    await driver.start();
    put("late", 10_000);
    await clock.advance(1_000);
    put("early", 2_000);
    await clock.advance(20_000);
    expect(taken).toEqual([
      { name: "early", atMs: 3_000 },
      { name: "late", atMs: 10_000 },
    ]);
  });

  test("a stall of ten seconds lets TimerDriver hand out everything once, oldest first, in bounded steps", async () => {
    const { clock, driver, polls, taken, put } = driverOf();
    await driver.start();
    await driver.stop();
    for (let count = 0; count < 5_000; count++) put(`t${count}`, 10_000 - count);
    await clock.advance(10_000);
    await driver.start();
    await clock.advance(0);
    expect(taken.map(({ name }) => name)).toEqual(Array.from({ length: 5_000 }, (_, place) => `t${4_999 - place}`));
    expect(polls.length).toBeGreaterThan(4);
  });

  test("an estimate that puts the database's clock ahead wakes TimerDriver at once, one that puts it behind lets it wait", async () => {
    const { clock, driver, taken, put, step } = driverOf();
    await driver.start();
    put("a", 60_000);
    put("b", 90_000);
    await clock.advance(1_000);
    step(61_000);
    await clock.advance(0);
    expect(taken).toEqual([{ name: "a", atMs: 1_000 }]);
    step(-10_000);
    await clock.advance(37_999);
    expect(taken).toHaveLength(1);
    await clock.advance(1);
    expect(taken[1]).toEqual({ name: "b", atMs: 39_000 });
  });

  test("a stopped TimerDriver hands out nothing, though an estimate comes", async () => {
    const { clock, driver, taken, put, step } = driverOf();
    await driver.start();
    put("a", 100);
    await driver.stop();
    step(1_000);
    await clock.advance(1_000);
    expect(taken).toEqual([]);
  });
});
