import type { Clock, ClockTimer, Random } from "@tickwheel/core";
import { type Inlet, type LoopTime, SimulatedLoop } from "./simulated-loop.js";
import { SkewedTime, type SkewedTimeOptions } from "./skewed-time.js";

/** `rate`: real clocks differ by some ten parts per million, broken ones by a thousand. */
export type NodeClockOptions = SkewedTimeOptions;

/**
 * The clock of one simulated node, and where its process and its machine are at fault. It is the clock of the main
 * loop; the heartbeat's thread has {@link worker}, a loop of its own that reads the same time.
 *
 * | fault | main loop | worker | monotonic time |
 * |---|---|---|---|
 * | `pause` (a stopped process, a paused machine) | held | held | goes on |
 * | `blockLoop` (a handler that computes) | held | runs | goes on |
 * | `slow` | all comes late | runs | goes on |
 * | `halt` (a crash) | ends | ends | goes on, unread |
 * | `setRate`, `stepAhead` | fires by its own time | the same | changes |
 *
 * A hold takes effect between two turns of a loop: the code that runs just now goes on until it waits for something
 * from outside, so all of that has to come in by `deliver` or `turn`. `pause` and `blockLoop` may be on at a time; each
 * is ended by its own counterpart.
 */
export class SimulatedNodeClock implements Clock, Inlet {
  /** The heartbeat's thread. */
  readonly worker: SimulatedLoop;
  private readonly main: SimulatedLoop;
  private readonly time: NodeTime;
  private isPaused = false;
  private isBlocked = false;

  /** @param virtual the time of the simulation; see `VirtualTime.node` */
  constructor(virtual: Clock & { readonly random: Random }, options: NodeClockOptions = {}) {
    this.time = new NodeTime(virtual, options);
    this.main = new SimulatedLoop(this.time);
    this.worker = new SimulatedLoop(this.time);
  }

  /** What it suffers from just now, for a trace or a story. */
  get state(): "running" | "blocked" | "paused" | "halted" {
    if (this.isHalted) return "halted";
    if (this.isPaused) return "paused";
    return this.isBlocked ? "blocked" : "running";
  }

  get isHalted(): boolean {
    return this.main.isHalted;
  }

  /** Timers of both its loops. */
  get pendingTimers(): number {
    return this.main.pendingTimers + this.worker.pendingTimers;
  }

  /** What waits to come in, on both its loops. */
  get pendingArrivals(): number {
    return this.main.pendingArrivals + this.worker.pendingArrivals;
  }

  monotonicMs(): number {
    return this.main.monotonicMs();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    return this.main.setTimer(delayMs, callback);
  }

  soon(callback: () => void): void {
    this.main.soon(callback);
  }

  nextTurn(callback: () => void): void {
    this.main.nextTurn(callback);
  }

  deliver(work: () => void): void {
    this.main.deliver(work);
  }

  turn(): Promise<void> {
    return this.main.turn();
  }

  pause(): void {
    this.isPaused = true;
    this.hold();
  }

  resume(): void {
    this.isPaused = false;
    this.hold();
  }

  blockLoop(): void {
    this.isBlocked = true;
    this.hold();
  }

  unblockLoop(): void {
    this.isBlocked = false;
    this.hold();
  }

  /** From now on whatever happens in the main loop is up to `maxLateMs` late, by chance; 0: no more. */
  slow(maxLateMs: number): void {
    this.main.slow(maxLateMs);
  }

  /** From now on so many of its milliseconds pass in one of the virtual time. */
  setRate(rate: number): void {
    this.time.setRate(rate);
    this.rearm();
  }

  /**
   * Its monotonic time jumps ahead, as on a machine that was moved or suspended: what is due by the new reading fires
   * at once.
   */
  stepAhead(byMs: number): void {
    if (!(byMs >= 0)) throw new RangeError(`Monotonic time never goes back: ${byMs} ms`);
    this.time.step(byMs);
    this.rearm();
  }

  /** The process is gone: nothing fires and nothing comes in any more. Final. */
  halt(): void {
    this.main.halt();
    this.worker.halt();
  }

  private hold(): void {
    this.main.hold(this.isPaused || this.isBlocked);
    this.worker.hold(this.isPaused);
  }

  private rearm(): void {
    this.main.rearm();
    this.worker.rearm();
  }
}

/** What its loops share: time that never goes back. */
class NodeTime extends SkewedTime implements LoopTime {
  readonly random: Random;
  private reachedMs = -Infinity;

  constructor(
    readonly scheduler: Clock & { readonly random: Random },
    options: NodeClockOptions,
  ) {
    super(scheduler, options);
    this.random = scheduler.random;
  }

  override nowMs(): number {
    this.reach(super.nowMs());
    return this.reachedMs;
  }

  reach(instantMs: number): void {
    this.reachedMs = Math.max(this.reachedMs, instantMs);
  }
}
