import type { Clock } from "@tickwheel/core";

/** Unused retries of one namespace can be made up for over at most this long, in milliseconds. */
const BURST_MS = 1_000;
/** Other retries of its namespace delay a task by at most this, in milliseconds. */
const LONGEST_WAIT_MS = 3_600_000;
/** At this many namespaces, those without debt are forgotten. */
const MANY_NAMESPACES = 1_000;

export interface RetryPaceOptions {
  /** The least wait after a failed attempt, in milliseconds. */
  leastMs: number;
  /** This many failed attempts of one namespace are tried again in a second; 0: no limit. */
  perSecond: number;
}

/**
 * How long failed attempts wait before they are tried again: as long as they ask for, but at least a least time, and
 * longer if their namespace has used up its rate. So a namespace whose tasks fail, even a million at once, costs a node
 * that many attempts a second and no more. The rate may make a retry late, never early, and needs no write.
 *
 * The rate is counted by the generic cell rate algorithm (ITU-T I.371): for each namespace, the instant up to which its
 * rate is used.
 */
export class RetryPace {
  private readonly usedUntil = new Map<string, number>();

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly options: RetryPaceOptions,
  ) {}

  /** Milliseconds until a failed attempt is tried again; it counts from now on. */
  delayMs(namespace: string, askedMs: number): number {
    const delayMs = Math.max(askedMs, this.options.leastMs);
    return this.options.perSecond === 0 ? delayMs : delayMs + this.waitMs(namespace);
  }

  private waitMs(namespace: string): number {
    const nowMonoMs = this.clock.monotonicMs();
    if (this.usedUntil.size >= MANY_NAMESPACES) this.forgetIdle(nowMonoMs);
    const earliest = nowMonoMs - BURST_MS;
    const usedUntil = Math.max(this.usedUntil.get(namespace) ?? earliest, earliest) + 1_000 / this.options.perSecond;
    this.usedUntil.set(namespace, Math.min(usedUntil, nowMonoMs + LONGEST_WAIT_MS));
    return Math.round(Math.min(Math.max(usedUntil - nowMonoMs, 0), LONGEST_WAIT_MS));
  }

  private forgetIdle(nowMonoMs: number): void {
    for (const [namespace, usedUntil] of this.usedUntil)
      if (usedUntil <= nowMonoMs - BURST_MS) this.usedUntil.delete(namespace);
  }
}
