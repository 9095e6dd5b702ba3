import { describe, expect, test } from "@jest/globals";
import { TimingWheel } from "./timing-wheel.js";
import { WheelFullError } from "./wheel-full-error.js";
import type { TimingWheelOptions } from "./wheel-options.js";

/** Two levels of four slots: 16 ticks, so that slots, levels and range all have their edges close by. */
const TINY = { slotBits: 2, levels: 2, capacity: 64 };
const DEFAULT = { capacity: 64 };

function tinyWheel(options: TimingWheelOptions = {}): TimingWheel {
  return new TimingWheel({ ...TINY, ...options });
}

/** One poll into room for `limit` values. */
function pollOnce(wheel: TimingWheel, nowTick: number, limits: { limit?: number; budget?: number } = {}): number[] {
  const out = new Float64Array(limits.limit ?? 64);
  const count = wheel.poll(nowTick, out, limits.budget);
  return [...out.subarray(0, count)];
}

/** Inserts timers whose value is their deadline. */
function insertAll(wheel: TimingWheel, ticks: number[]): void {
  for (const tick of ticks) wheel.insert(tick, tick);
}

describe("TimingWheel, the time", () => {
  test("the example of TimingWheel's class comment runs as it is told there", () => {
    const wheel = tinyWheel();
    const a = 1;
    const b = 2;
    const c = 3;
    const d = 4;
    wheel.insert(2, a);
    wheel.insert(6, b);
    wheel.insert(7, c);
    wheel.insert(21, d);
    const slots = () => wheel.stats().levels.map((level) => [...level.sizeBySlot].join(" "));
    expect(slots()).toEqual(["0 0 1 0", "0 2 0 0"]);
    expect(wheel.stats().parked).toBe(1);
    expect(pollOnce(wheel, 1)).toEqual([]);
    expect(pollOnce(wheel, 2)).toEqual([a]);
    expect(pollOnce(wheel, 5)).toEqual([]);
    expect(slots()).toEqual(["0 0 1 1", "0 0 0 0"]);
    expect(pollOnce(wheel, 7)).toEqual([b, c]);
    expect(pollOnce(wheel, 16)).toEqual([]);
    expect(slots()).toEqual(["0 0 0 0", "0 1 0 0"]);
    expect(wheel.stats().parked).toBe(0);
    expect(pollOnce(wheel, 30)).toEqual([d]);
  });

  test("nothing fires early: each timer fires at its own tick and at none before it", () => {
    const wheel = tinyWheel();
    const ticks = Array.from({ length: 50 }, (_, tick) => tick);
    insertAll(wheel, ticks.toReversed());
    for (const tick of ticks) expect(pollOnce(wheel, tick)).toEqual([tick]);
  });

  test("timers on both sides of every edge of slot, level and range fire at their own tick", () => {
    const edges = [1, 2 ** 12, 2 ** 13, 2 ** 24, 2 ** 25, 2 ** 36, 2 ** 37, 2 ** 48, 2 ** 49, 2 ** 53 - 2];
    const ticks = [...new Set(edges.flatMap((edge) => [edge - 1, edge, edge + 1]))];
    const wheel = new TimingWheel(DEFAULT);
    insertAll(wheel, ticks.toReversed());
    for (const tick of ticks) {
      expect(pollOnce(wheel, tick - 1)).toEqual([]);
      expect(pollOnce(wheel, tick)).toEqual([tick]);
    }
    expect(wheel.size).toBe(0);
  });

  test("a deadline in the past or present fires at the next poll, the oldest first", () => {
    const wheel = tinyWheel({ startTick: 100 });
    insertAll(wheel, [100, -7, 99, 12]);
    expect(pollOnce(wheel, 100)).toEqual([-7, 12, 99, 100]);
    insertAll(wheel, [100, 50]);
    expect(pollOnce(wheel, 100)).toEqual([50, 100]);
  });

  test("timers of one tick fire in the order of insertion, at whatever distance they were inserted", () => {
    for (const options of [TINY, DEFAULT]) {
      const wheel = new TimingWheel(options);
      const due = 5000;
      for (const [value, nowTick] of [0, 1, 4090, 4096, 4990, 4999, 5000].entries()) {
        expect(pollOnce(wheel, nowTick - 0.5)).toEqual([]);
        wheel.insert(due, value);
      }
      expect(pollOnce(wheel, due)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }
  });

  test("with orderWithinTick priority the lowest number of a tick fires first, then the order of insertion", () => {
    const wheel = tinyWheel({ orderWithinTick: "priority" });
    const timers: [number, number, number?][] = [
      [9, 1, 7],
      [9, 2],
      [9, 3, 0],
      [9, 4, 5],
      [8, 5, 255],
    ];
    for (const [tick, value, priority] of timers) wheel.insert(tick, value, priority);
    expect(pollOnce(wheel, 20)).toEqual([5, 3, 2, 4, 1]);
    for (const [tick, value, priority] of timers) wheel.insert(tick, value, priority);
    expect(pollOnce(wheel, 20)).toEqual([5, 3, 2, 4, 1]);
  });

  test("without orderWithinTick priority, the priority of a timer changes nothing", () => {
    const wheel = tinyWheel();
    wheel.insert(9, 1, 9);
    wheel.insert(9, 2, 0);
    expect(pollOnce(wheel, 9)).toEqual([1, 2]);
    wheel.insert(9, 3, 9);
    wheel.insert(9, 4, 0);
    expect(pollOnce(wheel, 9)).toEqual([3, 4]);
  });

  test("a jump forwards of any size fires everything due once, the oldest first", () => {
    const ticks = [3, 4, 15, 16, 17, 4095, 4096, 2 ** 24 + 5, 2 ** 36 - 1, 2 ** 47, 2 ** 48 + 3, 2 ** 50];
    for (const options of [TINY, DEFAULT]) {
      for (const nowTick of [20, 2 ** 12, 2 ** 36, 2 ** 49, Number.MAX_SAFE_INTEGER]) {
        const wheel = new TimingWheel(options);
        insertAll(wheel, [...ticks.filter((_, i) => i % 2 === 1), ...ticks.filter((_, i) => i % 2 === 0)]);
        expect(pollOnce(wheel, nowTick)).toEqual(ticks.filter((tick) => tick <= nowTick));
        expect(pollOnce(wheel, nowTick)).toEqual([]);
        expect(pollOnce(wheel, Number.MAX_SAFE_INTEGER)).toEqual(ticks.filter((tick) => tick > nowTick));
      }
    }
  });

  test("a jump backwards fires nothing early and loses nothing", () => {
    const wheel = tinyWheel();
    insertAll(wheel, [100, 130]);
    expect(pollOnce(wheel, 110)).toEqual([100]);
    insertAll(wheel, [105, 45, 115]);
    expect(pollOnce(wheel, 50)).toEqual([45]);
    insertAll(wheel, [60]);
    expect(pollOnce(wheel, 59)).toEqual([]);
    expect(pollOnce(wheel, 60)).toEqual([60]);
    expect(pollOnce(wheel, 104)).toEqual([]);
    expect(pollOnce(wheel, 200)).toEqual([105, 115, 130]);
  });

  test("a jump backwards amid a batch keeps the order of one tick", () => {
    const wheel = tinyWheel();
    for (const value of [1, 2, 3]) wheel.insert(10, value);
    expect(pollOnce(wheel, 10, { limit: 1 })).toEqual([1]);
    expect(pollOnce(wheel, 9)).toEqual([]);
    expect(wheel.hasMore).toBe(false);
    wheel.insert(10, 4);
    wheel.insert(9, 0);
    expect(pollOnce(wheel, 10)).toEqual([0, 2, 3, 4]);
  });

  test("a fractional deadline is rounded up and a fractional now is rounded down", () => {
    const wheel = tinyWheel();
    insertAll(wheel, [4.001]);
    expect(pollOnce(wheel, 4.999)).toEqual([]);
    expect(pollOnce(wheel, 5)).toEqual([4.001]);
  });

  test("deadlines beyond the range are parked and placed again, and none is lost", () => {
    const wheel = new TimingWheel(DEFAULT);
    const ticks = [2 ** 48, 2 ** 48 + 1, 2 ** 49, 3 * 2 ** 48 - 1, 2 ** 52];
    insertAll(wheel, ticks.toReversed());
    expect(wheel.stats().parked).toBe(ticks.length);
    for (const tick of ticks) {
      expect(pollOnce(wheel, tick - 1)).toEqual([]);
      expect(pollOnce(wheel, tick)).toEqual([tick]);
    }
  });

  test("a deadline that no integer tick can reach stays parked and can be cancelled", () => {
    const wheel = tinyWheel();
    const handle = wheel.insert(1e300, 1);
    insertAll(wheel, [50]);
    expect(pollOnce(wheel, Number.MAX_SAFE_INTEGER)).toEqual([50]);
    expect(wheel.nextExpiryTick()).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    expect(wheel.cancel(handle)).toBe(true);
    expect(wheel.size).toBe(0);
  });
});

describe("TimingWheel, its timers", () => {
  test("a value comes back as it was given, whatever finite number it is", () => {
    const values = [0, -0, -1, 0.1, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE];
    const wheel = tinyWheel();
    for (const value of values) wheel.insert(1, value);
    expect(pollOnce(wheel, 1)).toEqual(values);
  });

  test("a cancelled timer never fires, wherever it waits", () => {
    const wheel = tinyWheel({ startTick: 1 });
    const handles = [0, 1, 2, 6, 21, 1000].map((tick) => wheel.insert(tick, tick));
    insertAll(wheel, [22]);
    for (const handle of handles) expect(wheel.cancel(handle)).toBe(true);
    expect(wheel.size).toBe(1);
    expect(pollOnce(wheel, 2000)).toEqual([22]);
  });

  test("a rescheduled timer fires at its new deadline only, and queues as if inserted anew", () => {
    const wheel = tinyWheel();
    const moved = wheel.insert(3, 1);
    wheel.insert(40, 2);
    expect(wheel.reschedule(moved, 40)).toBe(true);
    expect(pollOnce(wheel, 39)).toEqual([]);
    expect(wheel.reschedule(moved, 41)).toBe(true);
    expect(wheel.reschedule(moved, 40)).toBe(true);
    expect(pollOnce(wheel, 40)).toEqual([2, 1]);
    expect(wheel.reschedule(moved, 50)).toBe(false);
  });

  test("a handle that was fired or cancelled changes nothing, though its record is in use again", () => {
    const wheel = tinyWheel({ capacity: 1 });
    const fired = wheel.insert(1, 1);
    expect(pollOnce(wheel, 1)).toEqual([1]);
    const cancelled = wheel.insert(2, 2);
    wheel.cancel(cancelled);
    wheel.insert(3, 3);
    for (const stale of [fired, cancelled, NaN, -1, 0.5]) {
      expect(wheel.cancel(stale)).toBe(false);
      expect(wheel.reschedule(stale, 9)).toBe(false);
    }
    expect(pollOnce(wheel, 3)).toEqual([3]);
  });

  test("a deadline that is not finite is a RangeError and changes nothing", () => {
    const wheel = tinyWheel();
    const handle = wheel.insert(5, 5);
    for (const tick of [NaN, Infinity, -Infinity]) {
      expect(() => wheel.insert(tick, 1)).toThrow(RangeError);
      expect(() => wheel.reschedule(handle, tick)).toThrow(RangeError);
    }
    expect(wheel.size).toBe(1);
    expect(pollOnce(wheel, 5)).toEqual([5]);
  });

  test("a wrong value, priority, now, out or budget is a RangeError and changes nothing", () => {
    const wheel = tinyWheel();
    insertAll(wheel, [1]);
    const out = new Float64Array(1);
    for (const value of [NaN, Infinity]) expect(() => wheel.insert(1, value)).toThrow(RangeError);
    for (const priority of [-1, 256, 0.5, NaN]) expect(() => wheel.insert(1, 1, priority)).toThrow(RangeError);
    for (const nowTick of [NaN, Infinity, 2 ** 53]) expect(() => wheel.poll(nowTick, out)).toThrow(RangeError);
    for (const budget of [0, -1, NaN]) expect(() => wheel.poll(1, out, budget)).toThrow(RangeError);
    expect(() => wheel.poll(1, new Float64Array(0))).toThrow(RangeError);
    expect(wheel.size).toBe(1);
    expect(pollOnce(wheel, 1)).toEqual([1]);
  });

  test("a full wheel refuses with WheelFullError, is unharmed, and has room again after a cancel or a fire", () => {
    const wheel = tinyWheel({ capacity: 2 });
    insertAll(wheel, [1]);
    const handle = wheel.insert(2, 2);
    const refused = () => wheel.insert(3, 3);
    expect(refused).toThrow(WheelFullError);
    expect(refused).toThrow(expect.objectContaining({ code: "WHEEL_FULL", capacity: 2 }));
    expect(wheel.size).toBe(2);
    expect(wheel.reschedule(handle, 5)).toBe(true);
    wheel.cancel(handle);
    insertAll(wheel, [4]);
    expect(pollOnce(wheel, 1)).toEqual([1]);
    insertAll(wheel, [3]);
    expect(refused).toThrow(WheelFullError);
    expect(pollOnce(wheel, 10)).toEqual([3, 4]);
  });

  test("nextExpiryTick is -1 when empty, exact when near, a lower bound when far, and past when overdue", () => {
    const wheel = tinyWheel();
    expect(wheel.nextExpiryTick()).toBe(-1);
    const far = wheel.insert(1000, 1);
    expect(wheel.nextExpiryTick()).toBe(992);
    wheel.insert(14, 2);
    expect(wheel.nextExpiryTick()).toBe(14);
    wheel.insert(3, 3);
    expect(wheel.nextExpiryTick()).toBe(3);
    expect(pollOnce(wheel, 14)).toEqual([3, 2]);
    const late = wheel.insert(10, 4);
    expect(wheel.nextExpiryTick()).toBe(10);
    wheel.cancel(late);
    wheel.insert(-5, 5);
    expect(wheel.nextExpiryTick()).toBe(0);
    expect(pollOnce(wheel, 14)).toEqual([5]);
    wheel.cancel(far);
    expect(wheel.nextExpiryTick()).toBe(-1);
  });

  test("nextExpiryTick is at most an eighth of a slot too early for a timer within the range", () => {
    for (const tick of [4_095, 4_096, 5_000, 2 ** 24 - 1, 2 ** 24, 2 ** 30 + 77, 2 ** 47 + 1]) {
      const wheel = new TimingWheel({ ...DEFAULT, capacity: 1 });
      wheel.insert(tick, 1);
      const slotTicks = 2 ** (12 * Math.floor(Math.log2(tick) / 12));
      const earliest = slotTicks === 1 ? tick : tick - slotTicks / 8 + 1;
      expect(wheel.nextExpiryTick()).toBeLessThanOrEqual(tick);
      expect(wheel.nextExpiryTick()).toBeGreaterThanOrEqual(earliest);
    }
  });

  test("nextExpiryTick is exact again when the timer that was next is cancelled or moved", () => {
    const wheel = new TimingWheel({ slotBits: 4, levels: 2, capacity: 10 });
    const first = wheel.insert(3, 1);
    const second = wheel.insert(5, 2);
    wheel.insert(9, 3);
    expect(wheel.nextExpiryTick()).toBe(3);
    wheel.cancel(first);
    expect(wheel.nextExpiryTick()).toBe(5);
    wheel.reschedule(second, 11);
    expect(wheel.nextExpiryTick()).toBe(9);
  });

  test("nextExpiryTick knows the oldest of several overdue timers, and of a tick that is only half gathered", () => {
    const wheel = tinyWheel({ startTick: 20, orderWithinTick: "priority" });
    insertAll(wheel, [10, 12]);
    expect(wheel.nextExpiryTick()).toBe(10);
    expect(pollOnce(wheel, 20)).toEqual([10, 12]);
    insertAll(wheel, [23, 23]);
    expect(pollOnce(wheel, 23, { budget: 1 })).toEqual([]);
    expect(wheel.nextExpiryTick()).toBe(23);
  });

  test("nextExpiryTick does not pass over the timers of an interrupted cascade", () => {
    const wheel = tinyWheel();
    for (const tick of [7, 5, 6]) wheel.insert(tick, tick);
    expect(pollOnce(wheel, 4, { budget: 1 })).toEqual([]);
    expect(wheel.nextExpiryTick()).toBeLessThanOrEqual(5);
  });

  test("a wheel with nothing due still moves with the time, so that near timers need no cascade", () => {
    const wheel = tinyWheel();
    expect(pollOnce(wheel, 1000)).toEqual([]);
    insertAll(wheel, [1001, 1003]);
    expect(wheel.stats().reachedTick).toBe(1000);
    expect(wheel.stats().levels[0]?.sizeBySlot).toEqual(Uint32Array.of(0, 1, 0, 1));
  });

  test("a caller that sleeps until nextExpiryTick fires every timer on time, in few steps", () => {
    const ticks = [1, 5000, 5001, 2 ** 24 + 1, 2 ** 40, 2 ** 48 + 7];
    const wheel = new TimingWheel(DEFAULT);
    insertAll(wheel, ticks);
    const fired: number[] = [];
    let steps = 0;
    for (let nowTick = wheel.nextExpiryTick(); nowTick >= 0; nowTick = wheel.nextExpiryTick(), steps++) {
      for (const tick of pollOnce(wheel, nowTick)) {
        expect(tick).toBe(nowTick);
        fired.push(tick);
      }
    }
    expect(fired).toEqual(ticks);
    expect(steps).toBeLessThanOrEqual(5 * ticks.length);
  });

  test("the stats of a wheel count every timer once, by level and slot", () => {
    const wheel = tinyWheel({ startTick: 20 });
    insertAll(wheel, [20, 3, 22, 22, 25, 40, 99]);
    const { levels, ...totals } = wheel.stats();
    expect(totals).toEqual({ size: 7, capacity: 64, reachedTick: 20, overdue: 2, parked: 2 });
    const [fine, coarse] = levels;
    expect(fine).toMatchObject({ level: 0, ticksPerSlot: 1, windowStartTick: 20, windowEndTick: 24, size: 2 });
    expect(fine?.occupiedSlots).toBe(1);
    expect(fine?.sizeBySlot).toEqual(Uint32Array.of(0, 0, 2, 0));
    expect(coarse).toMatchObject({ level: 1, ticksPerSlot: 4, windowStartTick: 16, windowEndTick: 32, size: 1 });
    expect(coarse?.sizeBySlot).toEqual(Uint32Array.of(0, 0, 1, 0));
  });
});
