import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { TimerHandle } from "./timer-records.js";
import { TimingWheel } from "./timing-wheel.js";
import type { TimingWheelOptions } from "./wheel-options.js";
import { WheelFullError } from "./wheel-full-error.js";

/** A timer as the oracle knows it. `batch` is the number of the first batch that owes it. */
interface Timer {
  value: number;
  handle: TimerHandle;
  tick: number;
  priority: number;
  sequence: number;
  batch: number;
}

type Step =
  | { kind: "insert"; offset: number; priority: number }
  | { kind: "reschedule"; pick: number; offset: number }
  | { kind: "cancel"; pick: number }
  | { kind: "poll"; offset: number; limit: number; budget: number };

/**
 * The wheel beside a sorted list. After each step both must agree: on what a poll hands out, to the last value and in
 * its order, on what is left, and on what the handles of timers that are gone can do (nothing).
 */
class WheelBesideList {
  private readonly wheel: TimingWheel;
  private readonly live: Timer[] = [];
  private readonly gone: Timer[] = [];
  private readonly out = new Float64Array(1000);
  private nowTick: number;
  private made = 0;
  private moves = 0;
  private batch = 0;

  constructor(private readonly options: TimingWheelOptions & { capacity: number }) {
    this.wheel = new TimingWheel(options);
    this.nowTick = options.startTick ?? 0;
  }

  run(step: Step): void {
    if (step.kind === "insert") this.insert(step.offset, step.priority);
    else if (step.kind === "reschedule") this.reschedule(step.pick, this.nowTick + step.offset);
    else if (step.kind === "cancel") this.cancel(step.pick);
    else this.poll(this.nowTick + step.offset, step.limit, step.budget);
    expect(this.wheel.size).toBe(this.live.length);
    this.checkNextExpiry();
  }

  /** Ends the open batch, then hands out all that is left. */
  finish(): void {
    for (let polls = 0; polls < 3; polls++) this.poll(Number.MAX_SAFE_INTEGER, this.out.length, Infinity);
    expect(this.live).toEqual([]);
    expect(this.wheel.nextExpiryTick()).toBe(-1);
    const { overdue, parked, levels } = this.wheel.stats();
    expect([overdue, parked, ...levels.map((level) => level.size)]).toEqual([0, 0, ...levels.map(() => 0)]);
  }

  private insert(offset: number, priority: number): void {
    const deadline = this.nowTick + offset;
    const value = this.made++;
    if (this.live.length === this.options.capacity) {
      expect(() => this.wheel.insert(deadline, value, priority)).toThrow(WheelFullError);
      return;
    }
    const handle = this.wheel.insert(deadline, value, priority);
    this.live.push({
      value,
      handle,
      tick: Math.ceil(deadline),
      priority,
      sequence: this.moves++,
      batch: this.nextBatch(),
    });
  }

  private reschedule(pick: number, deadline: number): void {
    const timer = this.live[pick % this.live.length];
    if (timer) {
      expect(this.wheel.reschedule(timer.handle, deadline)).toBe(true);
      Object.assign(timer, { tick: Math.ceil(deadline), sequence: this.moves++, batch: this.nextBatch() });
    }
    const stale = this.gone[pick % this.gone.length];
    if (stale) expect(this.wheel.reschedule(stale.handle, deadline)).toBe(false);
  }

  private cancel(pick: number): void {
    const [timer] = this.live.splice(pick % Math.max(1, this.live.length), 1);
    if (timer) {
      expect(this.wheel.cancel(timer.handle)).toBe(true);
      this.gone.push(timer);
    }
    const stale = this.gone[pick % this.gone.length];
    if (stale) expect(this.wheel.cancel(stale.handle)).toBe(false);
  }

  private poll(nowTick: number, limit: number, budget: number): void {
    this.nowTick = Math.min(Math.max(0, nowTick), Number.MAX_SAFE_INTEGER);
    const out = this.out.subarray(0, limit);
    const count = this.wheel.poll(this.nowTick, out, budget);
    expect(count).toBeLessThanOrEqual(Math.min(limit, budget));

    const due = this.live.filter((timer) => timer.tick <= Math.floor(this.nowTick)).sort((a, b) => this.order(a, b));
    const byValue = new Map(due.map((timer) => [timer.value, timer]));
    const fired = Array.from(out.subarray(0, count), (value) => byValue.get(value));
    // Each value handed out belongs to a live timer that is due, once, and in order.
    expect(fired).not.toContain(undefined);
    expect(new Set(fired).size).toBe(count);
    expect(fired).toEqual(due.filter((timer) => fired.includes(timer)));
    // None was passed over, but for those that came into the open batch too late.
    const last = due.indexOf(fired.at(-1) as Timer);
    const left = due.filter((timer) => !fired.includes(timer));
    const owed = left.filter((timer) => timer.batch <= this.batch);
    expect(owed.filter((timer) => due.indexOf(timer) < last)).toEqual([]);
    this.remove(fired as Timer[]);
    this.checkEndOfPoll({ isFull: count === limit, left, owed, isUnlimited: budget === Infinity });
  }

  private checkEndOfPoll(end: { isFull: boolean; isUnlimited: boolean; left: Timer[]; owed: Timer[] }): void {
    if (this.wheel.hasMore) {
      if (end.isUnlimited) expect([end.isFull, end.left.length > 0]).toEqual([true, true]);
      return;
    }
    expect(end.owed).toEqual([]);
    this.batch++;
  }

  private remove(fired: Timer[]): void {
    for (const timer of fired) this.live.splice(this.live.indexOf(timer), 1);
    this.gone.push(...fired);
  }

  private checkNextExpiry(): void {
    const next = this.wheel.nextExpiryTick();
    if (this.live.length === 0) expect(next).toBe(-1);
    else expect(next).toBeLessThanOrEqual(Math.max(0, Math.min(...this.live.map((timer) => timer.tick))));
    if (this.live.length > 0) expect(next).toBeGreaterThanOrEqual(0);
  }

  /** The first batch that owes a timer which is inserted or moved now: the next one if a batch is open. */
  private nextBatch(): number {
    return this.wheel.hasMore ? this.batch + 1 : this.batch;
  }

  private order(a: Timer, b: Timer): number {
    const byPriority = this.options.orderWithinTick === "priority" ? a.priority - b.priority : 0;
    return a.tick - b.tick || byPriority || a.sequence - b.sequence;
  }
}

/** Offsets from now that lie at and around what matters to a geometry: its slots, its levels, its range, the past. */
function anyOffset(spans: number[]): fc.Arbitrary<number> {
  const near = fc.integer({ min: -6, max: 6 });
  const far = fc
    .tuple(fc.constantFrom(...spans), fc.nat({ max: 3 }), near)
    .map(([span, times, by]) => span * times + by);
  return fc.oneof(
    near,
    far,
    near.map((offset) => offset + 0.25),
  );
}

function anyStep(spans: number[]): fc.Arbitrary<Step> {
  const offset = anyOffset(spans);
  const pick = fc.nat({ max: 1000 });
  const limit = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1000));
  const budget = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(Infinity));
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("insert" as const), offset, priority: fc.nat({ max: 2 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("reschedule" as const), pick, offset }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), pick }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("poll" as const), offset, limit, budget }) },
  );
}

const geometries: { name: string; options: TimingWheelOptions; spans: number[] }[] = [
  { name: "one level of two slots", options: { slotBits: 1, levels: 1 }, spans: [2, 5] },
  { name: "three levels of four slots", options: { slotBits: 2, levels: 3, startTick: 61 }, spans: [4, 16, 64, 200] },
  { name: "the default levels", options: {}, spans: [2 ** 12, 2 ** 24, 2 ** 36, 2 ** 48] },
];

describe("TimingWheel beside a sorted list", () => {
  for (const { name, options, spans } of geometries) {
    test.each(["insertion", "priority"] as const)(
      `any sequence of calls on ${name} gives the same (order: %s)`,
      (order) => {
        fc.assert(
          fc.property(fc.array(anyStep(spans), { maxLength: 150, size: "max" }), (steps) => {
            const subject = new WheelBesideList({ ...options, orderWithinTick: order, capacity: 24 });
            for (const step of steps) subject.run(step);
            subject.finish();
          }),
          { numRuns: 60 },
        );
      },
    );
  }
});
