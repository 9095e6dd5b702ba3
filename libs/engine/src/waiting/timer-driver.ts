import type { Clock, ClockTimer, Service } from "@tickwheel/core";
import type { DbClock } from "../runtime/db-clock.js";
import type { DueEntries } from "./due-entries.js";
import type { FoundTask } from "./found-task.js";

/**
 * Drives the wheel: one armed timer, for the next expiry; none while nothing is known to be due, so an idle node
 * sleeps. Each time it fires the wheel is polled by the clock, never by counting ticks, so a blocked loop or a jump of
 * time costs lateness only. A wheel with much to hand out does so in bounded steps, and other work comes in between.
 *
 * The plan is made by the estimated database time, so it is made anew with each new estimate.
 */
export class TimerDriver implements Service {
  private timer: ClockTimer | null = null;
  private plannedMonoMs = Infinity;
  private running = false;

  constructor(
    private readonly source: {
      clock: Clock;
      dbClock: Pick<DbClock, "earliestMs" | "timeUntilDueMs" | "onSampled">;
      entries: DueEntries;
    },
    private readonly take: (tasks: FoundTask[]) => void,
  ) {
    source.dbClock.onSampled(() => this.arm());
  }

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
    const sleepMs = this.sleepMs();
    if (this.source.clock.monotonicMs() + sleepMs < this.plannedMonoMs) this.arm(sleepMs);
  }

  /** One bounded step. */
  runOnce(): void {
    const expired: FoundTask[] = [];
    const hasMore = this.source.entries.expire(this.source.dbClock.earliestMs(), (task) => expired.push(task));
    if (expired.length > 0) this.take(expired);
    this.arm(hasMore ? 0 : this.sleepMs());
  }

  /** Until the next expiry; Infinity where there is none. */
  private sleepMs(): number {
    const expiryAt = this.source.entries.nextExpiryAt();
    return expiryAt === null ? Infinity : this.source.dbClock.timeUntilDueMs(expiryAt);
  }

  private arm(sleepMs = this.sleepMs()): void {
    this.disarm();
    if (!this.running || sleepMs === Infinity) return;
    this.plannedMonoMs = this.source.clock.monotonicMs() + sleepMs;
    this.timer = this.source.clock.setTimer(sleepMs, () => this.runOnce());
  }

  private disarm(): void {
    this.timer?.clear();
    this.timer = null;
    this.plannedMonoMs = Infinity;
  }
}
