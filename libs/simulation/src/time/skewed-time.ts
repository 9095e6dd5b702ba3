import type { Clock } from "@tickwheel/core";

export interface SkewedTimeOptions {
  /** The first reading, milliseconds; default 0. */
  startMs?: number;
  /** How many of its milliseconds pass in one of the base clock's; default 1. */
  rate?: number;
}

/**
 * The time of somebody whose clock is not the base clock: it runs at a rate of its own and may be stepped, also back.
 * It has no timers.
 *
 * @example
 * const redisTime = new SkewedTime(time, { startMs: Date.UTC(2027, 0, 1), rate: 1.0001 });
 * redisTime.step(-2_000); // somebody set its clock
 */
export class SkewedTime {
  private anchorMs: number;
  private anchorBaseMs: number;
  private rate: number;

  constructor(
    private readonly base: Pick<Clock, "monotonicMs">,
    { startMs = 0, rate = 1 }: SkewedTimeOptions = {},
  ) {
    this.anchorMs = startMs;
    this.anchorBaseMs = base.monotonicMs();
    this.rate = positive(rate);
  }

  nowMs(): number {
    return this.anchorMs + (this.base.monotonicMs() - this.anchorBaseMs) * this.rate;
  }

  /** How long the base clock takes until this one reads `instantMs`; negative where that has been. */
  delayUntil(instantMs: number): number {
    return (instantMs - this.nowMs()) / this.rate;
  }

  /** From now on it runs at this rate. */
  setRate(rate: number): void {
    this.anchor(0);
    this.rate = positive(rate);
  }

  /** Goes ahead, or back, at once. */
  step(byMs: number): void {
    this.anchor(byMs);
  }

  private anchor(byMs: number): void {
    this.anchorMs = this.nowMs() + byMs;
    this.anchorBaseMs = this.base.monotonicMs();
  }
}

function positive(rate: number): number {
  if (!(rate > 0 && rate < Infinity)) throw new RangeError(`A clock runs at a positive rate, not ${rate}`);
  return rate;
}
