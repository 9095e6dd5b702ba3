import type { Clock, ClockTimer, Service, TaskHint } from "@tickwheel/core";
import type { DbClock } from "./db-clock.js";
import type { DueEntries } from "./due-entries.js";

/** The longest sleep. Waking that often when nothing is due costs nothing and keeps the measure of the loop's lag fresh. */
const LONGEST_SLEEP_MS = 500;

/**
 * Drives the wheel: one armed timer, for the next expiry. Each time it fires the wheel is polled by the clock, never by counting
 * ticks, so a blocked loop or a jump of time costs lateness only. A wheel with much to hand out does so in bounded steps, and other
 * work comes in between.
 */
export class TimerDriver implements Service {
  private timer: ClockTimer | null = null;
  private plannedMonoMs = Infinity;
  private running = false;
  private worstLagMs = 0;

  constructor(
    private readonly source: { clock: Clock; dbClock: DbClock; entries: DueEntries },
    private readonly take: (hints: TaskHint[]) => void,
  ) {}

  start(): Promise<void> {
    if (!this.running) {
      this.running = true;
      this.arm();
    }
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.running = false;
    this.disarm();
    return Promise.resolve();
  }

  /** To be called after entries were put: wakes earlier where one of them expires earlier than what was armed for. */
  entriesChanged(): void {
    if (!this.running) return;
    if (this.source.clock.monotonicMs() + this.sleepMs() < this.plannedMonoMs) this.arm();
  }

  /** One bounded step. */
  runOnce(): void {
    const expired: TaskHint[] = [];
    const hasMore = this.source.entries.expire(this.source.dbClock.earliestMs(), (hint) => expired.push(hint));
    if (expired.length > 0) this.take(expired);
    this.arm(hasMore ? 0 : this.sleepMs());
  }

  /** The worst delay of the event loop, as felt by the timer, since this was last asked. */
  takeLoopLagMs(): number {
    const lagMs = this.worstLagMs;
    this.worstLagMs = 0;
    return lagMs;
  }

  private sleepMs(): number {
    const expiryAt = this.source.entries.nextExpiryAt();
    if (expiryAt === null) return LONGEST_SLEEP_MS;
    return Math.min(this.source.dbClock.untilSureMs(expiryAt), LONGEST_SLEEP_MS);
  }

  private arm(sleepMs = this.sleepMs()): void {
    this.disarm();
    if (!this.running) return;
    this.plannedMonoMs = this.source.clock.monotonicMs() + sleepMs;
    this.timer = this.source.clock.setTimer(sleepMs, () => {
      this.worstLagMs = Math.max(this.worstLagMs, this.source.clock.monotonicMs() - this.plannedMonoMs);
      this.runOnce();
    });
  }

  private disarm(): void {
    this.timer?.clear();
    this.timer = null;
    this.plannedMonoMs = Infinity;
  }
}
