import type { DistributionReading } from "@tickwheel/core";

/** Bounds double from the unit on: the last one is 2^18 units, which is 262 s where the unit is a millisecond. */
const BOUNDS = 19;
const SECOND_MS = 1_000;

/**
 * How often something took how long, in buckets whose bounds double: a record is two additions and no memory. Nothing
 * is ever taken out; a reading is a copy.
 */
export class Distribution {
  private readonly counts = new Float64Array(BOUNDS + 1);
  private sumMs = 0;

  /** @param unitMs the first bound, in milliseconds */
  constructor(private readonly unitMs = 1) {}

  /** @param ms not negative */
  record(ms: number): void {
    this.addCount(ms, 1);
    this.addSum(ms);
  }

  /** Adds many that are within the same bound as this; what they add up to is for {@link addSum}. */
  addCount(ms: number, count: number): void {
    this.counts[bucketOf(ms / this.unitMs)]! += count;
  }

  addSum(ms: number): void {
    this.sumMs += ms;
  }

  /** Adds what another one with the same unit has recorded. */
  add({ counts, sumMs }: Distribution): void {
    counts.forEach((count, bucket) => (this.counts[bucket]! += count));
    this.sumMs += sumMs;
  }

  read(): DistributionReading {
    const bounds = Array.from({ length: BOUNDS }, (_, bucket) => (this.unitMs * 2 ** bucket) / SECOND_MS);
    return { bounds, counts: [...this.counts], sum: this.sumMs / SECOND_MS };
  }
}

/** The first bucket whose bound, 2^bucket units, is not below this; {@link BOUNDS}: there is none. */
function bucketOf(units: number): number {
  if (!(units > 1)) return 0;
  if (units > 2 ** (BOUNDS - 1)) return BOUNDS;
  return 32 - Math.clz32(Math.ceil(units) - 1);
}
