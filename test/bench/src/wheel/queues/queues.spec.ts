import { describe, expect, jest, test } from "@jest/globals";
import { SeededRandom } from "@tickwheel/testing";
import { type ImplementationName, implementationNames, implementations } from "./implementations.js";
import type { TimerQueue } from "./timer-queue.js";

const OPERATIONS = 3_000;
/** Small, so that most polls stop at their limit. */
const OUT_VALUES = 5;
const FARTHEST_TICKS = 3_000;

interface Expected {
  value: number;
  tick: number;
  handle: unknown;
}

/** A queue and a plain list of what it must hold; every answer of the queue is compared with the list. */
class QueueBesideList {
  private readonly random = new SeededRandom(7);
  private readonly out = new Float64Array(OUT_VALUES);
  private list: Expected[] = [];
  private nowTick = 0;
  private lastFiredTick = 0;
  private nextValue = 0;
  fired = 0;

  constructor(private readonly queue: TimerQueue<unknown>) {}

  step(): void {
    const kind = this.below(10);
    if (kind < 5) this.insert();
    else if (kind < 6) this.cancel();
    else if (kind < 8) this.reschedule();
    else if (this.queue.hasMore) this.poll();
    else this.advance();
    expect(this.queue.size).toBe(this.list.length);
  }

  drain(): void {
    while (this.list.length > 0) {
      if (!this.queue.hasMore) this.nowTick += FARTHEST_TICKS;
      this.poll();
    }
    expect(this.queue.nextExpiryTick()).toBe(-1);
  }

  private insert(): void {
    const tick = this.deadline();
    const value = this.nextValue++;
    this.list.push({ value, tick, handle: this.queue.insert(tick, value) });
  }

  private cancel(): void {
    const at = this.below(this.list.length);
    for (const { handle } of this.list.splice(at, 1)) this.queue.cancel(handle);
  }

  private reschedule(): void {
    const expected = this.list[this.below(this.list.length)];
    if (!expected) return;
    expected.tick = this.deadline();
    expected.handle = this.queue.reschedule(expected.handle, expected.tick);
  }

  private advance(): void {
    const next = this.queue.nextExpiryTick();
    expect(next).toBeLessThanOrEqual(this.earliestTick());
    this.nowTick += 1 + this.below(20);
    this.poll();
  }

  private poll(): void {
    const count = this.queue.poll(this.nowTick, this.out);
    for (const value of this.out.subarray(0, count)) this.take(value);
    if (this.queue.hasMore) return;
    expect(this.earliestTick()).toBeGreaterThan(this.nowTick);
    this.lastFiredTick = 0;
  }

  private take(value: number): void {
    const at = this.list.findIndex((expected) => expected.value === value);
    const { tick } = this.list[at] ?? { tick: NaN };
    expect(tick).toBeLessThanOrEqual(this.nowTick);
    expect(tick).toBeGreaterThanOrEqual(this.lastFiredTick);
    this.lastFiredTick = tick;
    this.list.splice(at, 1);
    this.fired++;
  }

  private earliestTick(): number {
    return this.list.reduce((earliest, { tick }) => Math.min(earliest, tick), Infinity);
  }

  /** Ahead of the last poll, often many at one tick. */
  private deadline(): number {
    return this.nowTick + 1 + (this.below(2) === 0 ? this.below(4) : this.below(FARTHEST_TICKS));
  }

  private below(end: number): number {
    return Math.floor(this.random.next() * end);
  }
}

const obedient = implementationNames.filter((name) => implementations[name].obeysClock);

describe("each implementation", () => {
  test.each(obedient)("the implementation %s does what a plain list does", (name: ImplementationName) => {
    const pair = new QueueBesideList(implementations[name].create());
    for (let i = 0; i < OPERATIONS; i++) pair.step();
    pair.drain();
    expect(pair.fired).toBeGreaterThan(OPERATIONS / 4);
  });

  test.each(obedient)(
    "the implementation %s hands out at most as many values in one poll as there is room for",
    (name: ImplementationName) => {
      const queue: TimerQueue<unknown> = implementations[name].create();
      for (let value = 0; value < 10; value++) queue.insert(3, value);
      const out = new Float64Array(4);
      const counts = [queue.poll(3, out), queue.poll(3, out), queue.poll(3, out)];
      expect(counts).toEqual([4, 4, 2]);
      expect(queue.hasMore).toBe(false);
    },
  );
});

test("setTimeout starts a timer for each insert, and cancel clears it", () => {
  jest.useFakeTimers();
  const queue: TimerQueue<unknown> = implementations.setTimeout.create();
  const handles = [queue.insert(60_000, 0), queue.insert(60_000, 1)];
  expect([queue.size, jest.getTimerCount()]).toEqual([2, 2]);
  queue.cancel(handles[0]);
  expect([queue.size, jest.getTimerCount()]).toEqual([1, 1]);
  jest.useRealTimers();
});
