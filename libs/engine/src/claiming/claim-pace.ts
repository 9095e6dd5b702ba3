import type { Turnover } from "../held/capacity.js";

/** The first claim, and the first after a failure, asks for at most this many. */
const FIRST_SIZE = 50;
/** A claim was slow if it took this much longer than the fastest recent one. */
const SLOW_MS = 50;
const SLOW_FACTOR = 2;
/** How fast the fastest time decays: by a third in about ten claims. */
const FORGET_FACTOR = 1.03;

/** The weight of the older handler counts against each new reply: it evens out claims of unlike sizes. */
const KEPT_SHARE = 0.5;
/** For this long after a reply the prefetch is valid. */
const KNOWN_FOR_MS = 100;

/** How a claim went. */
export interface ClaimTaken {
  sentMonoMs: number;
  repliedMonoMs: number;
  /** How many tasks it asked for. */
  asked: number;
  /** What handlers did since the reply before. */
  turnover: Turnover;
}

/**
 * How much a node claims at a time. `size` doubles with each full claim that was as fast as recent ones, and halves
 * with a slow one. So a store under load gets small statements, and the first claims after an outage are small too.
 *
 * `prefetchAt`: how many handlers would return in the time that the last claim took, if every place were taken; 0 a
 * while after that claim. We measure how long handlers held places, not how many returned: when claims are the
 * bottleneck, few return.
 */
export class ClaimPace {
  private sizeNow: number;
  private fastestMs = Infinity;
  private repliedMonoMs = -Infinity;
  private prefetch = 0;
  private turnover: Turnover = { ended: 0, placeMs: 0 };

  /**
   * @param largest the most that a claim may ask for
   * @param places how many handlers may run at once
   */
  constructor(
    private readonly largest: number,
    private readonly places: number,
  ) {
    this.sizeNow = this.first;
  }

  get size(): number {
    return this.sizeNow;
  }

  prefetchAt(nowMonoMs: number): number {
    return nowMonoMs - this.repliedMonoMs < KNOWN_FOR_MS ? this.prefetch : 0;
  }

  answered({ sentMonoMs, repliedMonoMs, asked, turnover }: ClaimTaken): void {
    const tookMs = repliedMonoMs - sentMonoMs;
    const isSlow = tookMs > SLOW_FACTOR * this.fastestMs + SLOW_MS;
    this.fastestMs = Math.min(tookMs, this.fastestMs * FORGET_FACTOR);
    if (isSlow) this.sizeNow = Math.max(this.first, Math.floor(this.sizeNow / 2));
    else if (asked >= this.sizeNow) this.sizeNow = Math.min(this.largest, 2 * this.sizeNow);
    this.note(turnover);
    this.prefetch = this.returningIn(tookMs);
    this.repliedMonoMs = repliedMonoMs;
  }

  failed(): void {
    this.sizeNow = this.first;
    this.prefetch = 0;
  }

  private note({ ended, placeMs }: Turnover): void {
    const before = this.turnover;
    this.turnover = { ended: ended + before.ended * KEPT_SHARE, placeMs: placeMs + before.placeMs * KEPT_SHARE };
  }

  /** At most as many as two claims can bring: one on its way, and one whose tasks start meanwhile. */
  private returningIn(ms: number): number {
    const { ended, placeMs } = this.turnover;
    if (ended === 0) return 0;
    const returning = Math.round((this.places * ms * ended) / Math.max(placeMs, Number.EPSILON));
    return Math.min(2 * this.largest, returning);
  }

  private get first(): number {
    return Math.min(FIRST_SIZE, this.largest);
  }
}
