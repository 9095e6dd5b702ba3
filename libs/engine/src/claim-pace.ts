/** The first claim, and the first after one that failed, asks for so many at most. */
const FIRST_SIZE = 50;
/** A claim that took longer than this, beside the time that the fastest of late took, was slow. */
const SLOW_MS = 50;
const SLOW_FACTOR = 2;
/** How fast the fastest is forgotten: by a third in ten claims or so. */
const FORGET_FACTOR = 1.03;

/** For so long after a reply it is known how fast handlers return. */
const KNOWN_FOR_MS = 100;

/** How a claim went. */
export interface ClaimTaken {
  sentMonoMs: number;
  repliedMonoMs: number;
  /** How many tasks it asked for. */
  asked: number;
  /** Handlers that returned since the reply before. */
  ended: number;
}

/**
 * How much a node claims at a time. `size` doubles with each full claim that was as fast as others of late, and halves with one that was
 * slow, so a store under load gets small statements, and after an outage the first claims are small, too. `prefetchAt`: how many handlers
 * will have returned when a claim that is sent now is answered, as fast as they returned from one reply to the next; nobody knows a while after
 * the last.
 */
export class ClaimPace {
  private sizeNow: number;
  private fastestMs = Infinity;
  private repliedMonoMs = -Infinity;
  private prefetch = 0;

  /** @param largest what a claim may ask for at most */
  constructor(private readonly largest: number) {
    this.sizeNow = this.first;
  }

  get size(): number {
    return this.sizeNow;
  }

  prefetchAt(nowMonoMs: number): number {
    return nowMonoMs - this.repliedMonoMs < KNOWN_FOR_MS ? this.prefetch : 0;
  }

  answered({ sentMonoMs, repliedMonoMs, asked, ended }: ClaimTaken): void {
    const tookMs = repliedMonoMs - sentMonoMs;
    const isSlow = tookMs > SLOW_FACTOR * this.fastestMs + SLOW_MS;
    this.fastestMs = Math.min(tookMs, this.fastestMs * FORGET_FACTOR);
    if (isSlow) this.sizeNow = Math.max(this.first, Math.floor(this.sizeNow / 2));
    else if (asked >= this.sizeNow) this.sizeNow = Math.min(this.largest, 2 * this.sizeNow);
    const returnedPerMs = ended / Math.max(1, repliedMonoMs - this.repliedMonoMs);
    this.prefetch = Math.min(this.largest, Math.round(returnedPerMs * tookMs));
    this.repliedMonoMs = repliedMonoMs;
  }

  failed(): void {
    this.sizeNow = this.first;
    this.prefetch = 0;
  }

  private get first(): number {
    return Math.min(FIRST_SIZE, this.largest);
  }
}
