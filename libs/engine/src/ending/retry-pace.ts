import type { Clock } from "@tickwheel/core";

/**
 * Retries of one namespace that a second has room for and did not bring are made up for, as many as fit into so long,
 * in milliseconds.
 */
const BURST_MS = 1_000;
/** The longest wait that other retries of its namespace cost a task, in milliseconds. */
const LONGEST_WAIT_MS = 3_600_000;
/** Namespaces that are remembered before those are looked for that owe nothing any more. */
const MANY_NAMESPACES = 1_000;

export interface RetryPaceOptions {
  /** The least wait after a failed attempt, in milliseconds. */
  leastMs: number;
  /** Failed attempts of one namespace that are tried again in a second; 0: any number. */
  perSecond: number;
}

/**
 * How long failed attempts wait before they are tried again: as long as they ask for, but for a least time, and longer
 * where their namespace has had more of them than a second has room for. So a namespace whose tasks fail, be it a
 * million at once, costs a node that many attempts a second and no more. A retry may be late for that, never early, and
 * no write is made for it.
 *
 * The rate is counted by the generic cell rate algorithm (ITU-T I.371): an instant for each namespace, up to which its
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
