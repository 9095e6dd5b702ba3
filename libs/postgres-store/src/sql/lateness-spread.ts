/** An upper bound, and how many are as late and later than the bound before. */
export type LatenessBucket = [boundMs: number, count: number];

/** In milliseconds. `p50` and `p99` are at most an eighth above the true ones. */
export interface LatenessSpread {
  p50: number;
  p99: number;
  max: number;
}

/** Null: nothing started. @param buckets by rising bound */
export function spreadOf(buckets: readonly LatenessBucket[], max: number): LatenessSpread | null {
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number): number => {
    let seen = 0;
    const bucket = buckets.find(([, count]) => (seen += count) >= share * total);
    return Math.min(bucket?.[0] ?? max, max);
  };
  return { p50: at(0.5), p99: at(0.99), max };
}
