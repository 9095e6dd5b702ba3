import { type Clock, type Random, Rest } from "@tickwheel/core";

/** How often a loop runs. */
export interface Pace {
  everyMs: number;
  /**
   * Runs begin whole intervals after this. Loops that share it wake their process together, which is cheaper when idle.
   */
  sinceMonoMs?: number;
  /** Shortens each wait by up to `share`, so that nodes that started together do not stay in step. */
  jitter?: { random: Random; share: number };
}

/**
 * Runs one piece of work again and again: each run this long after the last began, or when that one is over; never two
 * at once. The work must not throw. `stop` resolves when no run is under way, so a run must not wait for it.
 */
export class PeriodicLoop {
  private stopping: AbortController | null = null;
  private ended: Promise<void> = Promise.resolve();
  private readonly rest: Rest;
  private woken = false;

  constructor(
    private readonly clock: Clock,
    private readonly pace: Pace,
    private readonly runOnce: () => Promise<void> | void,
  ) {
    this.rest = new Rest(clock);
  }

  /** Begins with a run at once. */
  start(): void {
    if (this.stopping !== null) return;
    const stopping = new AbortController();
    this.stopping = stopping;
    this.ended = this.ended.then(() => this.repeat(stopping.signal));
  }

  async stop(): Promise<void> {
    this.stopping?.abort();
    this.stopping = null;
    this.rest.end();
    await this.ended;
  }

  /** Runs again without waiting; after the present run, if one is under way. */
  wake(): void {
    this.woken = true;
    this.rest.end();
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.woken = false;
      const startMonoMs = this.clock.monotonicMs();
      await this.runOnce();
      if (this.woken || signal.aborted) continue;
      await this.rest.take(Math.max(0, this.nextMonoMs(startMonoMs) - this.clock.monotonicMs()));
    }
  }

  private nextMonoMs(startMonoMs: number): number {
    const { everyMs, sinceMonoMs, jitter } = this.pace;
    const paceMs = jitter === undefined ? everyMs : everyMs * (1 - jitter.share * jitter.random.next());
    if (sinceMonoMs === undefined) return startMonoMs + paceMs;
    // Half an interval on: a timer that fired a little early must not cause a second run at the right moment.
    return sinceMonoMs + everyMs * Math.ceil((startMonoMs - sinceMonoMs) / everyMs + 0.5);
  }
}
