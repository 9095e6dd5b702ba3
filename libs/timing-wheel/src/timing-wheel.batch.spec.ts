import { describe, expect, test } from "@jest/globals";
import { TimingWheel } from "./timing-wheel.js";

interface Limits {
  limit?: number;
  budget?: number;
}

interface BatchOptions extends Limits {
  /** What the caller does with the values of each poll before the next one. */
  between?: (values: number[]) => void;
}

function tinyWheel(capacity = 1000): TimingWheel {
  return new TimingWheel({ slotBits: 2, levels: 3, capacity });
}

function pollOnce(wheel: TimingWheel, nowTick: number, { limit = 1000, budget }: Limits = {}): number[] {
  const out = new Float64Array(limit);
  const count = wheel.poll(nowTick, out, budget);
  return [...out.subarray(0, count)];
}

/** Polls until nothing more is due; fails after more polls than any batch of these tests needs. */
function pollBatch(wheel: TimingWheel, nowTick: number, options: BatchOptions): number[][] {
  const polls: number[][] = [];
  do {
    expect(polls.length).toBeLessThan(1000);
    const values = pollOnce(wheel, nowTick, options);
    polls.push(values);
    options.between?.(values);
  } while (wheel.hasMore);
  return polls;
}

describe("TimingWheel, a batch of several polls", () => {
  test("a poll hands out no more than out holds, and hasMore says whether more is due", () => {
    const wheel = tinyWheel();
    for (const tick of [1, 2, 2, 3, 9]) wheel.insert(tick, tick);
    expect(wheel.hasMore).toBe(false);
    expect(pollOnce(wheel, 3, { limit: 3 })).toEqual([1, 2, 2]);
    expect(wheel.hasMore).toBe(true);
    expect(pollOnce(wheel, 3, { limit: 1 })).toEqual([3]);
    expect(wheel.hasMore).toBe(false);
  });

  test("`out` beyond the values that a poll hands out is left as it was", () => {
    const wheel = tinyWheel();
    wheel.insert(1, 8);
    const out = Float64Array.of(5, 6, 7);
    expect(wheel.poll(1, out)).toBe(1);
    expect(out).toEqual(Float64Array.of(8, 6, 7));
  });

  test("a poll does no more work than its budget, and the batch ends with everything fired in order", () => {
    for (const budget of [1, 2, 7]) {
      const wheel = tinyWheel();
      const ticks = [0, 0, 5, 20, 20, 21, 40, 63, 64, 100, 100, 500];
      for (const tick of ticks.toReversed()) wheel.insert(tick, tick);
      const polls = pollBatch(wheel, 500, { budget });
      expect(polls.flat()).toEqual(ticks);
      for (const values of polls) expect(values.length).toBeLessThanOrEqual(budget);
    }
  });

  test("a budget bounds the work of a cascade that fires nothing", () => {
    const wheel = tinyWheel();
    for (let value = 0; value < 100; value++) wheel.insert(31, value);
    expect(pollOnce(wheel, 16, { budget: 10 })).toEqual([]);
    expect(wheel.hasMore).toBe(true);
    expect(pollBatch(wheel, 16, { budget: 10 })).toHaveLength(9);
    expect(pollOnce(wheel, 31)).toEqual(Array.from({ length: 100 }, (_, value) => value));
  });

  test("a timer inserted into the slot of an interrupted cascade keeps its place in the order", () => {
    for (const tick of [16, 20, 31, 64, 70, 127]) {
      const wheel = tinyWheel();
      for (const value of [0, 1, 2, 3]) wheel.insert(tick, value);
      expect(pollOnce(wheel, tick, { budget: 2 })).toEqual([]);
      wheel.insert(tick, 4);
      expect(pollBatch(wheel, tick, { budget: 2 }).flat()).toEqual([0, 1, 2, 3, 4]);
    }
  });

  test("timers of an interrupted cascade can be cancelled and rescheduled", () => {
    const wheel = tinyWheel();
    const handles = [0, 1, 2, 3, 4].map((value) => wheel.insert(20, value));
    expect(pollOnce(wheel, 20, { budget: 2 })).toEqual([]);
    for (const value of [0, 3]) expect(wheel.cancel(handles[value]!)).toBe(true);
    for (const value of [1, 4]) expect(wheel.reschedule(handles[value]!, 25)).toBe(true);
    expect(pollBatch(wheel, 20, { budget: 2 }).flat()).toEqual([2]);
    expect(pollOnce(wheel, 25)).toEqual([1, 4]);
  });

  test("an interrupted cascade whose timers are all cancelled leaves a wheel that works", () => {
    const wheel = tinyWheel();
    const handles = [0, 1, 2, 3].map((value) => wheel.insert(20, value));
    pollOnce(wheel, 20, { budget: 2 });
    for (const handle of handles) wheel.cancel(handle);
    expect(wheel.nextExpiryTick()).toBe(-1);
    expect(pollBatch(wheel, 20, {}).flat()).toEqual([]);
    wheel.insert(21, 5);
    wheel.insert(200, 6);
    expect(pollOnce(wheel, 300)).toEqual([5, 6]);
  });

  test("between two polls of a batch a due timer can be cancelled or moved, one handed out cannot", () => {
    const wheel = tinyWheel();
    const handles = [0, 1, 2, 3].map((value) => wheel.insert(5, value));
    expect(pollOnce(wheel, 5, { limit: 1 })).toEqual([0]);
    expect(wheel.cancel(handles[0]!)).toBe(false);
    expect(wheel.reschedule(handles[0]!, 9)).toBe(false);
    expect(wheel.cancel(handles[1]!)).toBe(true);
    expect(wheel.reschedule(handles[2]!, 9)).toBe(true);
    expect(pollOnce(wheel, 5)).toEqual([3]);
    expect(pollOnce(wheel, 9)).toEqual([2]);
  });

  test("a timer inserted between two polls for a tick still to come fires in the same batch, in order", () => {
    const wheel = tinyWheel();
    for (const tick of [5, 30, 50]) wheel.insert(tick, tick);
    expect(pollOnce(wheel, 50, { limit: 1 })).toEqual([5]);
    wheel.insert(40, 40);
    expect(pollBatch(wheel, 50, { limit: 1 }).flat()).toEqual([30, 40, 50]);
  });

  test("a timer inserted between two polls for a tick that has passed waits for the next batch", () => {
    const wheel = tinyWheel();
    for (const tick of [5, 30, 50]) wheel.insert(tick, tick);
    expect(pollOnce(wheel, 50, { limit: 2 })).toEqual([5, 30]);
    wheel.insert(6, 6);
    expect(pollBatch(wheel, 50, {}).flat()).toEqual([50]);
    expect(wheel.nextExpiryTick()).toBe(6);
    expect(pollOnce(wheel, 50)).toEqual([6]);
  });

  test("a batch that time has overtaken goes on to the later tick", () => {
    const wheel = tinyWheel();
    for (const tick of [5, 6, 30]) wheel.insert(tick, tick);
    expect(pollOnce(wheel, 6, { limit: 1 })).toEqual([5]);
    expect(pollOnce(wheel, 30)).toEqual([6, 30]);
  });

  test.each(["insertion", "priority"] as const)(
    "a caller that always inserts now cannot starve the loop (%s)",
    (order) => {
      for (const limits of [{ limit: 1 }, { limit: 3 }, { budget: 1 }, { limit: 2, budget: 3 }]) {
        const wheel = new TimingWheel({ slotBits: 2, levels: 3, capacity: 1000, orderWithinTick: order });
        for (let value = 0; value < 10; value++) wheel.insert(value < 5 ? 3 : 40, value);
        const insertNow = (values: number[]) => values.forEach((value) => wheel.insert(40, value + 10));
        const first = pollBatch(wheel, 40, { ...limits, between: insertNow }).flat();
        expect(first.filter((value) => value < 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(wheel.size).toBeGreaterThan(0);
        expect(wheel.nextExpiryTick()).toBeLessThanOrEqual(40);
        const second = pollBatch(wheel, 40, { ...limits, between: insertNow }).flat();
        expect([...first, ...second].filter((value) => value < 20)).toEqual(
          Array.from({ length: 20 }, (_, value) => value),
        );
      }
    },
  );

  test("a caller that inserts more overdue timers than it takes does not keep a batch open", () => {
    const wheel = tinyWheel();
    for (let value = 0; value < 10; value++) wheel.insert(0, value);
    const polls = pollBatch(wheel, 10, {
      budget: 1,
      between: () => {
        wheel.insert(-1, 100);
        wheel.insert(-1, 100);
      },
    });
    expect(polls.flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("a million timers in one slot of the top level fire once, in order, in steps that a budget bounds", () => {
    const count = 1_000_000;
    const wheel = new TimingWheel({ capacity: count });
    const slotStart = 2 ** 37;
    for (let value = 0; value < count; value++) wheel.insert(slotStart + ((value * 7_919) % 65_536), value);
    const out = new Float64Array(1_024);
    let fired = 0;
    let polls = 0;
    let lastTick = 0;
    let lastValue = -1;
    do {
      const written = wheel.poll(slotStart + 65_536, out, 8_192);
      for (const value of out.subarray(0, written)) {
        const tick = (value * 7_919) % 65_536;
        if (tick < lastTick || (tick === lastTick && value <= lastValue)) throw new Error(`${value} is out of order`);
        [lastTick, lastValue] = [tick, value];
      }
      fired += written;
      polls++;
    } while (wheel.hasMore);
    expect([fired, wheel.size]).toEqual([count, 0]);
    expect(polls).toBeGreaterThan(count / 1_024);
  });
});
