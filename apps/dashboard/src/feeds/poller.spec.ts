import { beforeEach, describe, expect, test } from "@jest/globals";
import { ManualTimers, ManualVisibility, settled } from "../../test-support/manual-page.js";
import { Poller } from "./poller.js";

/** Polls that end when the test says so. */
class ManualWork {
  readonly open: ((delayMs?: number) => void)[] = [];
  count = 0;

  readonly run = (): Promise<number | undefined> => {
    this.count += 1;
    return new Promise((resolve) => this.open.push(resolve));
  };

  async end(delayMs?: number): Promise<void> {
    this.open.shift()?.(delayMs);
    await settled();
  }
}

describe("Poller", () => {
  let visibility: ManualVisibility;
  let timers: ManualTimers;
  let work: ManualWork;
  let poller: Poller;

  beforeEach(() => {
    visibility = new ManualVisibility();
    timers = new ManualTimers();
    work = new ManualWork();
    poller = new Poller({ everyMs: 2000, work: work.run, visibility, timers });
  });

  test("the poller polls at once, and again everyMs after the end of the last poll", async () => {
    poller.start();
    expect([work.count, timers.pending.length]).toEqual([1, 0]);
    await work.end();
    expect(timers.pending.map((timer) => timer.delayMs)).toEqual([2000]);
    timers.fire();
    expect(work.count).toBe(2);
  });

  test("the poller waits as long as the poll says", async () => {
    poller.start();
    await work.end(15_000);
    expect(timers.pending.map((timer) => timer.delayMs)).toEqual([15_000]);
  });

  test("a hidden page polls nothing, and at once when it is seen again", async () => {
    poller.start();
    await work.end();
    visibility.show(false);
    expect([work.count, timers.pending.length]).toEqual([1, 0]);
    visibility.show(true);
    expect(work.count).toBe(2);
  });

  test("a page that is hidden during a poll sets no timer for the next poll", async () => {
    poller.start();
    visibility.show(false);
    await work.end();
    expect(timers.pending).toHaveLength(0);
  });

  test("wake during a poll polls once more after it, not beside it", async () => {
    poller.start();
    poller.wake();
    poller.wake();
    expect(work.count).toBe(1);
    await work.end();
    expect(timers.pending.map((timer) => timer.delayMs)).toEqual([0]);
    timers.fire();
    await work.end();
    expect(timers.pending.map((timer) => timer.delayMs)).toEqual([2000]);
  });

  test("stop of a poller works before, during and after start, twice", async () => {
    poller.stop();
    poller.start();
    poller.stop();
    poller.stop();
    await work.end();
    expect([work.count, timers.pending.length, visibility.listeners.size]).toEqual([1, 0, 0]);
    poller.wake();
    expect(work.count).toBe(1);
  });

  test("start twice of a poller is one loop", () => {
    poller.start();
    poller.start();
    expect([work.count, visibility.listeners.size]).toEqual([1, 1]);
  });
});
