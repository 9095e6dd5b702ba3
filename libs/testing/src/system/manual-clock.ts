import { type Clock, type ClockTimer, MAX_TIMER_MS, type Random } from "@tickwheel/core";
import { runUntilIdle } from "./run-until-idle.js";
import { type HeapTimer, TimerHeap } from "./timer-heap.js";

/** More timers than this at one instant mean a loop that re-arms itself without a delay. */
const MAX_FIRED_AT_ONE_INSTANT = 100_000;

/**
 * A clock that stands still until it is advanced.
 *
 * Timers fire in the order of their instants, and those of one instant in the order they were set. After each timer,
 * every promise chain that can go on without another timer runs to its end before the next timer fires. So a test with
 * this clock and a {@link SeededRandom} runs the same way each time. It waits for promises only, not for real I/O.
 * Cost: O(log n) for each timer, n pending.
 *
 * @example
 * const clock = new ManualClock();
 * clock.setTimer(1_000, () => rung.push(clock.monotonicMs()));
 * await clock.advance(5_000); // rung is [1000]
 */
export class ManualClock implements Clock {
  private readonly timers: TimerHeap;
  private nowMs: number;
  private firedAtInstant = 0;
  private advancing = false;

  /**
   * @param startMs the first reading, milliseconds from an arbitrary origin
   * @param random draws the order of the timers of one instant. Null: they fire in the order they were set
   */
  constructor(startMs = 0, random: Random | null = null) {
    this.nowMs = startMs;
    this.timers = new TimerHeap(random);
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    return this.timers.add(this.nowMs + rawDelay(delayMs), callback);
  }

  soon(callback: () => void): void {
    inMicrotask(callback);
  }

  /** At once, at the end of the present step: there is nobody here to whom a turn could be given. */
  nextTurn(callback: () => void): void {
    inMicrotask(callback);
  }

  /** How many timers are set. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /**
   * Goes `delayMs` ahead, firing what becomes due on the way.
   *
   * @throws Error when it is already being advanced, or when timers re-arm themselves for ever at one instant; what a
   *   timer throws
   */
  async advance(delayMs: number): Promise<void> {
    if (!(delayMs >= 0)) throw new RangeError(`A clock cannot go back: ${delayMs} ms`);
    await this.runTo(this.nowMs + delayMs, () => false);
  }

  /**
   * Fires timers until `condition` holds, looking after each of them.
   *
   * @param withinMs how far it may go, in milliseconds; the clock stops there if the condition never holds
   * @returns whether the condition holds
   */
  async runUntil(condition: () => boolean, withinMs: number): Promise<boolean> {
    return this.runTo(this.nowMs + withinMs, condition);
  }

  /**
   * Fires timers until none is left. The clock stops at the last one.
   *
   * @param withinMs how far it may go, in milliseconds
   * @returns false: timers are left when it stops
   */
  async runUntilIdle(withinMs: number): Promise<boolean> {
    return this.runTo(this.nowMs + withinMs, () => this.timers.size === 0);
  }

  /** Lets every promise chain go as far as it can, without moving the time. */
  settle(): Promise<void> {
    return runUntilIdle(() => false);
  }

  /** This clock as one node sees it, so that a node can be killed: see {@link NodeClock}. */
  forNode(): NodeClock {
    return new NodeClock(this);
  }

  /** Called before each timer fires, when the clock stands at its instant. */
  protected beforeFiring(_timer: HeapTimer): void {}

  private async runTo(targetMs: number, until: () => boolean): Promise<boolean> {
    if (this.advancing) throw new Error("The clock is being advanced already; wait for that first");
    this.advancing = true;
    this.firedAtInstant = 0;
    let holds = false;
    try {
      await runUntilIdle(() => {
        holds = until();
        if (holds) return false;
        if (this.fireNext(targetMs)) return true;
        this.nowMs = targetMs;
        holds = until();
        return false;
      });
    } finally {
      this.advancing = false;
    }
    return holds;
  }

  /** False: no timer is due by then. */
  private fireNext(targetMs: number): boolean {
    const timer = this.timers.peek();
    if (timer === null || timer.atMs > targetMs) return false;
    this.firedAtInstant = timer.atMs > this.nowMs ? 1 : this.firedAtInstant + 1;
    if (this.firedAtInstant > MAX_FIRED_AT_ONE_INSTANT)
      throw new Error(`Timers re-arm themselves for ever at ${this.nowMs} ms`);
    this.nowMs = Math.max(this.nowMs, timer.atMs);
    this.timers.remove(timer);
    this.beforeFiring(timer);
    timer.callback();
    return true;
  }
}

/**
 * Puts a call off to the end of the present step. No clock counts these calls, because promise chains run to their end
 * anyway.
 */
// oxlint-disable-next-line no-restricted-globals -- this is where the clocks of tests get it from
export const inMicrotask = queueMicrotask;

/** The delay that a raw timer really has: see {@link Clock}. */
export function rawDelay(delayMs: number): number {
  return delayMs > 0 ? Math.min(delayMs, MAX_TIMER_MS) : 0;
}

/**
 * One node's share of a {@link ManualClock}. Like a killed process, the node fires no timer after `halt()`, and new
 * timers are ignored.
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

  soon(callback: () => void): void {
    this.clock.soon(callback);
  }

  nextTurn(callback: () => void): void {
    this.clock.nextTurn(() => {
      if (!this.halted) callback();
    });
  }

  /** Drops every timer of this node, now and later. */
  halt(): void {
    this.halted = true;
    for (const timer of this.timers) timer.clear();
    this.timers.clear();
  }
}
