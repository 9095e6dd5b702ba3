/** Up to here each millisecond has a bucket of its own. */
const EXACT_MS = 8;
const STEPS_PER_OCTAVE = 8;
const FIRST_OCTAVE = 3;
/** The largest bound is the largest 32-bit integer's octave: 24 days. A lateness beyond it is in the last bucket. */
const LAST_OCTAVE = 30;
/** How many buckets there are. */
export const LATENESS_BUCKETS = EXACT_MS + 1 + (LAST_OCTAVE - FIRST_OCTAVE) * STEPS_PER_OCTAVE;

/**
 * The bucket of a lateness: exact up to 8 ms, then eight to each doubling, so a bound is less than an eighth above what
 * it stands for.
 *
 * @param latenessMs any number; below 0 and NaN count as 0
 */
export function latenessBucket(latenessMs: number): number {
  if (!(latenessMs > 0)) return 0;
  if (latenessMs <= EXACT_MS) return Math.ceil(latenessMs);
  const octave = Math.floor(Math.log2(latenessMs));
  if (octave >= LAST_OCTAVE) return LATENESS_BUCKETS - 1;
  const step = Math.ceil((latenessMs / 2 ** octave - 1) * STEPS_PER_OCTAVE);
  return EXACT_MS + (octave - FIRST_OCTAVE) * STEPS_PER_OCTAVE + step;
}

/** The largest lateness of a bucket, in whole milliseconds. */
export function latenessBoundMs(bucket: number): number {
  if (bucket <= EXACT_MS) return bucket;
  const beyond = bucket - EXACT_MS;
  const octave = FIRST_OCTAVE + Math.floor(beyond / STEPS_PER_OCTAVE);
  return 2 ** octave + (beyond % STEPS_PER_OCTAVE) * 2 ** (octave - FIRST_OCTAVE);
}
