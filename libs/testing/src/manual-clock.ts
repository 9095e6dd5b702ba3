import type { Clock, ClockTimer } from "@tickwheel/core";

/** More timers than this at one instant are a loop that re-arms itself without a delay. */
const MAX_FIRED_AT_ONE_INSTANT = 100_000;

/** The real one, also where a test replaces the global timers later. */
const afterMicrotasks = setImmediate;

interface ManualTimer {
  atMs: number;
  order: number;
  callback: () => void;
}

/**
 * A clock that stands still until it is advanced.
 *
 * Timers fire in the order of their instants, those of one instant in the order they were set; after each one, every promise chain that
 * can go on without another timer runs to its end before the next fires. So a test with this clock and a {@link SeededRandom} runs the
 * same way each time. It waits for promises only, not for real I/O. Cost: O(pending timers) for each timer that fires.
 *
 * @example
 * const clock = new ManualClock();
 * clock.setTimer(1_000, () => rung.push(clock.monotonicMs()));
 * await clock.advance(5_000); // rung is [1000]
 */
export class ManualClock implements Clock {
  private readonly timers = new Set<ManualTimer>();
  private nowMs: number;
  private order = 0;
  private advancing = false;

  /** @param startMs the first reading, milliseconds from an arbitrary origin */
  constructor(startMs = 0) {
    this.nowMs = startMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    const timer = { atMs: this.nowMs + Math.max(0, delayMs), order: this.order++, callback };
    this.timers.add(timer);
    return { clear: () => void this.timers.delete(timer) };
  }

  /** How many timers are set. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /**
   * Goes `delayMs` ahead, firing what becomes due on the way.
   *
   * @throws Error when it is already being advanced, or when timers re-arm themselves for ever at one instant
   */
  async advance(delayMs: number): Promise<void> {
    if (!(delayMs >= 0)) throw new RangeError(`A clock cannot go back: ${delayMs} ms`);
    await this.runTo(this.nowMs + delayMs, () => false);
  }

  /**
   * Fires timers until `condition` holds, looking after each of them.
   *
   * @param withinMs how far it may go; the clock stands there where the condition never held
   * @returns whether the condition holds
   */
  async runUntil(condition: () => boolean, withinMs: number): Promise<boolean> {
    return this.runTo(this.nowMs + withinMs, condition);
  }

  /**
   * Fires timers until none is left. The clock stops at the last one.
   *
   * @param withinMs how far it may go
   * @returns false: timers are left at that instant
   */
  async runUntilIdle(withinMs: number): Promise<boolean> {
    return this.runTo(this.nowMs + withinMs, () => this.timers.size === 0);
  }

  /** Lets every promise chain go as far as it can, without moving the time. */
  settle(): Promise<void> {
    return new Promise((resolve) => afterMicrotasks(resolve));
  }

  /** This clock as one node sees it, so that a node can be killed: see {@link NodeClock}. */
  forNode(): NodeClock {
    return new NodeClock(this);
  }

  private async runTo(targetMs: number, until: () => boolean): Promise<boolean> {
    if (this.advancing) throw new Error("The clock is being advanced already; wait for that first");
    this.advancing = true;
    try {
      return await this.fireUpTo(targetMs, until);
    } finally {
      this.advancing = false;
    }
  }

  private async fireUpTo(targetMs: number, until: () => boolean): Promise<boolean> {
    let firedNow = 0;
    for (;;) {
      await this.settle();
      if (until()) return true;
      const timer = this.nextTimer(targetMs);
      if (timer === null) break;
      firedNow = timer.atMs > this.nowMs ? 1 : firedNow + 1;
      if (firedNow > MAX_FIRED_AT_ONE_INSTANT) throw new Error(`Timers re-arm themselves for ever at ${this.nowMs} ms`);
      this.nowMs = Math.max(this.nowMs, timer.atMs);
      this.timers.delete(timer);
      timer.callback();
    }
    this.nowMs = targetMs;
    await this.settle();
    return until();
  }

  private nextTimer(targetMs: number): ManualTimer | null {
    let next: ManualTimer | null = null;
    for (const timer of this.timers) {
      if (timer.atMs > targetMs) continue;
      const earlier = next === null || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order);
      if (earlier) next = timer;
    }
    return next;
  }
}

/**
 * One node's share of a {@link ManualClock}. A process that is killed fires no timer any more: after `halt()` none of this node's does,
 * and new ones are ignored.
 */
export class NodeClock implements Clock {
  private readonly timers = new Set<ClockTimer>();
  private halted = false;

  constructor(private readonly clock: Clock) {}

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    if (this.halted) return { clear: () => undefined };
    const timer = this.clock.setTimer(delayMs, () => {
      this.timers.delete(timer);
      callback();
    });
    this.timers.add(timer);
    return {
      clear: () => {
        this.timers.delete(timer);
        timer.clear();
      },
    };
  }

  /** Drops every timer of this node, now and later. */
  halt(): void {
    this.halted = true;
    for (const timer of this.timers) timer.clear();
    this.timers.clear();
  }
}
