import type { Clock, ClockTimer, Random } from "@tickwheel/core";
import { inMicrotask, rawDelay } from "@tickwheel/testing";
import { TimerHeap } from "@tickwheel/testing";

/**
 * The way into a node, for whatever comes from outside: replies of a store or of Redis, messages, what another of its
 * threads says. A promise that a model resolves by itself would run the node's code even while the node is stopped; one
 * that is resolved in here does not.
 */
export interface Inlet {
  /** Nothing will ever run there again. */
  readonly isHalted: boolean;
  /**
   * Runs `work` on the node's loop: at once, before this returns, if the loop is free; else when it goes on, after all
   * that came before; never, if it is halted. Not to be called from the node's own code, but from a timer of the
   * virtual time.
   */
  deliver(work: () => void): void;
  /**
   * Resolves as soon as the loop runs, in the same order. Where a statement or command is sent, so that nothing leaves
   * a node that is stopped: `await inlet.turn()`.
   */
  turn(): Promise<void>;
}

/** How a loop tells the time, which it shares with the other loops of its node. */
export interface LoopTime {
  /** The virtual time, where timers are really set. */
  readonly scheduler: Clock;
  readonly random: Random;
  nowMs(): number;
  /** How long the virtual time takes until this time is reached; negative where it has been. */
  delayUntil(instantMs: number): number;
  /** This instant has come: from now on no earlier one is read, whatever the rounding of a rate. */
  reach(instantMs: number): void;
}

type LoopState = "running" | "held" | "halted";

/**
 * One event loop of a simulated node: the main thread's, or the heartbeat worker's. Its timers and what arrives for it
 * wait while it is held and are dropped when it is halted.
 *
 * After a hold, overdue timers fire in the order they were due and arrivals come in the order they came, the two of
 * them in an order drawn from the seed (a real loop may begin with either), each with its promise chains. Armed is at
 * most one timer of the virtual time for the timers and one for the arrivals.
 */
export class SimulatedLoop implements Clock, Inlet {
  private readonly timers: TimerHeap;
  private readonly arrivals: { work: () => void; readyMs: number }[] = [];
  private state: LoopState = "running";
  private wakeUp: ClockTimer | null = null;
  private nextArrival: ClockTimer | null = null;
  private maxLateMs = 0;
  private lateMs = 0;

  constructor(private readonly time: LoopTime) {
    this.timers = new TimerHeap(time.random, () => this.rearm());
  }

  get isHalted(): boolean {
    return this.state === "halted";
  }

  /** How many timers are set. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /** How many arrivals wait. */
  get pendingArrivals(): number {
    return this.arrivals.length;
  }

  monotonicMs(): number {
    return this.time.nowMs();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    if (this.isHalted) return { clear: () => undefined };
    const timer = this.timers.add(this.time.nowMs() + rawDelay(delayMs), callback);
    if (this.timers.peek() === timer) this.rearm();
    return timer;
  }

  soon(callback: () => void): void {
    inMicrotask(callback);
  }

  /** A timer without a delay: others of its instant may come before it, in an order drawn from the seed. */
  nextTurn(callback: () => void): void {
    this.setTimer(0, callback);
  }

  deliver(work: () => void): void {
    if (this.isHalted) return;
    if (this.state === "running" && this.maxLateMs === 0 && this.arrivals.length === 0) return work();
    const lateMs = this.maxLateMs === 0 ? 0 : this.time.random.next() * this.maxLateMs;
    this.arrivals.push({ work, readyMs: this.time.scheduler.monotonicMs() + lateMs });
    this.takeArrivals();
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.deliver(resolve));
  }

  /** Stops it, or lets it go on. */
  hold(isHeld: boolean): void {
    if (this.isHalted) return;
    this.state = isHeld ? "held" : "running";
    this.rearm();
    this.takeArrivals();
  }

  /** From now on each timer and each arrival is up to `maxLateMs` late, by chance; 0: none is. */
  slow(maxLateMs: number): void {
    this.maxLateMs = maxLateMs;
    this.drawLateness();
    this.rearm();
  }

  /** Drops everything, now and later. */
  halt(): void {
    this.state = "halted";
    this.timers.empty();
    this.arrivals.length = 0;
    this.rearm();
    this.takeArrivals();
  }

  /** To be called when its time was changed: plans anew when the next timer fires. */
  rearm(): void {
    this.wakeUp?.clear();
    this.wakeUp = null;
    const next = this.timers.peek();
    if (this.state !== "running" || next === null) return;
    const delayMs = this.time.delayUntil(next.atMs) + this.lateMs;
    this.wakeUp = this.time.scheduler.setTimer(delayMs, this.fireNext);
  }

  private readonly fireNext = (): void => {
    const timer = this.timers.pop()!;
    this.time.reach(timer.atMs);
    this.drawLateness();
    this.rearm();
    timer.callback();
  };

  private drawLateness(): void {
    this.lateMs = this.maxLateMs === 0 ? 0 : this.time.random.next() * this.maxLateMs;
  }

  private takeArrivals(): void {
    if (this.state !== "running" || this.arrivals.length === 0) {
      this.nextArrival?.clear();
      this.nextArrival = null;
      return;
    }
    const delayMs = this.arrivals[0]!.readyMs - this.time.scheduler.monotonicMs();
    this.nextArrival ??= this.time.scheduler.setTimer(delayMs, () => {
      this.nextArrival = null;
      const { work } = this.arrivals.shift()!;
      this.takeArrivals();
      work();
    });
  }
}
