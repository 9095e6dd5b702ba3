import type { Turnover } from "../held/capacity.js";

/** The first claim, and the first after one that failed, asks for so many at most. */
const FIRST_SIZE = 50;
/** A claim that took longer than this, beside the time that the fastest of late took, was slow. */
const SLOW_MS = 50;
const SLOW_FACTOR = 2;
/** How fast the fastest is forgotten: by a third in ten claims or so. */
const FORGET_FACTOR = 1.03;

/** How much of what is known of handlers counts for as long as the next reply: it evens out claims of unlike sizes. */
const KEPT_SHARE = 0.5;
/** For so long after a reply it is known how fast handlers return. */
const KNOWN_FOR_MS = 100;

/** How a claim went. */
export interface ClaimTaken {
  sentMonoMs: number;
  repliedMonoMs: number;
  /** How many tasks it asked for. */
  asked: number;
  /** Of the handlers since the reply before. */
  turnover: Turnover;
}

/**
 * How much a node claims at a time. `size` doubles with each full claim that was as fast as others of late, and halves
 * with one that was slow, so a store under load gets small statements, and after an outage the first claims are small,
 * too.
 *
 * `prefetchAt`: how many handlers would return, if every place were taken, in the time that the last claim took; nobody
 * knows a while after it. Counted is the time that handlers held places, not how many returned: where claims are what
 * is missing few can.
 */
export class ClaimPace {
  private sizeNow: number;
  private fastestMs = Infinity;
  private repliedMonoMs = -Infinity;
  private prefetch = 0;
  private turnover: Turnover = { ended: 0, placeMs: 0 };

  /**
   * @param largest what a claim may ask for at most
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

  /** At most as many as a claim can bring. */
  private returningIn(ms: number): number {
    const { ended, placeMs } = this.turnover;
    if (ended === 0) return 0;
    return Math.min(this.largest, Math.round((this.places * ms * ended) / Math.max(placeMs, Number.EPSILON)));
  }

  private get first(): number {
    return Math.min(FIRST_SIZE, this.largest);
  }
}
