import { type Clock, Rest, type Service } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";

/** A look that reads much may take this share of the time, also where it fails because it takes too long. */
const SLOW_LOOK_TIME_SHARE = 1 / 5;
/** Each further failure makes the pause so many times as long. */
const GROWTH = 4;

/**
 * The pause after a look that took so long. While somebody holds a snapshot, a look may read all that has run since,
 * and then it ends at its time limit: made again at once, such looks would leave no time for the work itself.
 *
 * @param usualMs the pause after a quick one
 */
export function pauseAfterLook(usualMs: number, tookMs: number): number {
  return Math.max(usualMs, tookMs / SLOW_LOOK_TIME_SHARE);
}

/**
 * The pause after a look that failed. Where Postgres is away it is short, so that an outage is soon forgotten. Else it
 * grows from failure to failure: the look itself may be what takes too long.
 */
export function pauseAfterFailedLook({ tookMs, failures }: Failed, health: Pick<Health, "isPostgresAway">): number {
  if (health.isPostgresAway) return RETRY_AFTER_FAILURE_MS;
  const grownMs = RETRY_AFTER_FAILURE_MS * GROWTH ** Math.min(failures - 1, 10);
  return Math.min(grownMs, pauseAfterLook(RETRY_AFTER_FAILURE_MS, tookMs));
}

/** A run that failed. */
export interface Failed {
  /** How long it took to fail, in milliseconds. */
  tookMs: number;
  /** How many have failed in a row, with this one. */
  failures: number;
}

/** A service that failed tries again after this, or after its interval if that is shorter. */
export const RETRY_AFTER_FAILURE_MS = 500;

/**
 * A background service that does its work again and again: `runOnce`, then a pause of `intervalMs()`, or less after
 * `wake()`. A turn that nothing has woken asks `isDue` first, unless the run before it failed.
 *
 * One run at a time. A failure ends only its run: it is reported to `Health` once and the next run comes soon. `stop`
 * waits for the run under way; a stopped service can be started again.
 */
export abstract class PeriodicService implements Service {
  private stopping: AbortController | null = null;
  private loopEnded: Promise<void> = Promise.resolve();
  private readonly rest: Rest;
  private woken = false;
  /** Runs that have failed in a row. */
  private failures = 0;
  /** Whether a run that has many steps should end before the next. */
  protected shouldEnd = false;

  constructor(
    protected readonly part: string,
    private readonly rhythm: { clock: Clock; health: Health },
  ) {
    this.rest = new Rest(rhythm.clock);
  }

  /** Whether it runs again and again, and will go on. */
  protected get isStarted(): boolean {
    return this.stopping !== null;
  }

  /** One round of work; throws what the store throws. */
  abstract runOnce(): Promise<void>;
  /** Whether there may be something to do; it does not throw. Default: always. */
  protected isDue(): Promise<boolean> | boolean {
    return true;
  }
  /** The pause before the next run. */
  protected abstract intervalMs(): number;
  /** The pause after a run that failed. */
  protected retryAfterMs(_error: unknown, _failed: Failed): number {
    return Math.min(this.intervalMs(), RETRY_AFTER_FAILURE_MS);
  }
  /** The pause before the first run. */
  protected firstDelayMs(): number {
    return 0;
  }

  start(): Promise<void> {
    this.shouldEnd = false;
    if (!this.stopping) {
      const stopping = new AbortController();
      this.stopping = stopping;
      this.loopEnded = this.loopEnded.then(() => this.loop(stopping.signal));
    }
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.shouldEnd = true;
    this.stopping?.abort();
    this.stopping = null;
    this.rest.end();
    return this.loopEnded;
  }

  /** Runs at once; if a run is under way, once more right after it. */
  wake(): void {
    this.woken = true;
    this.rest.end();
  }

  private async loop(stop: AbortSignal): Promise<void> {
    let delayMs = this.firstDelayMs();
    while (!stop.aborted) {
      if (!this.woken && delayMs > 0) await this.rest.take(delayMs);
      if (stop.aborted) return;
      const mustRun = this.woken || this.failures > 0;
      this.woken = false;
      delayMs = mustRun || (await this.isDue()) ? await this.attempt() : this.intervalMs();
    }
  }

  private async attempt(): Promise<number> {
    const part = `engine.${this.part}` as const;
    const startMonoMs = this.rhythm.clock.monotonicMs();
    try {
      await this.runOnce();
      this.failures = 0;
      this.rhythm.health.clear(part);
      return this.intervalMs();
    } catch (error) {
      this.failures++;
      this.rhythm.health.raise({ part, error, isTried: () => this.isStarted });
      const tookMs = this.rhythm.clock.monotonicMs() - startMonoMs;
      return this.retryAfterMs(error, { tookMs, failures: this.failures });
    }
  }
}
