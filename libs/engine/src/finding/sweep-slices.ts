import type { EpochMs } from "@tickwheel/core";

/** A part of the due times; null: no bound on that side. */
export interface Slice {
  from: EpochMs | null;
  before: EpochMs | null;
}

/** Where a walk through all due times is: it goes back from the newest, slice by slice. */
export interface SliceWalk {
  /** Later ones were read; null: none were. */
  before: EpochMs | null;
  /** The width of the next slice, in milliseconds; Infinity: all that is left. */
  widthMs: number;
}

/** A walk whose first slice is everything. */
export const WHOLE: SliceWalk = { before: null, widthMs: Infinity };

const FIRST_MS = 60_000;
const LEAST_MS = 1_000;
/** The slice behind one of this width is all that is left. */
const MOST_MS = 86_400_000;
const GROWTH = 4;
/** A slice that took less time than this was narrow. */
const FAST_MS = 100;
/** One that took more than this was wide. */
export const SLOW_SLICE_MS = 500;

/**
 * [full-sweep]: the next slice. While a session holds a snapshot, each task that has run since is an entry of the index
 * that a look must pass: a slice has as many of them as can be passed in time.
 */
export function sliceOf({ before, widthMs }: SliceWalk, dbNow: EpochMs): Slice {
  return { from: widthMs === Infinity ? null : Math.floor((before ?? dbNow) - widthMs), before };
}

/** The walk behind a slice that took so long; null: it was the last. */
export function afterSlice({ from }: Slice, { widthMs }: SliceWalk, tookMs: number): SliceWalk | null {
  if (from === null) return null;
  if (tookMs > SLOW_SLICE_MS) return { before: from, widthMs: Math.max(LEAST_MS, widthMs / 2) };
  if (tookMs > FAST_MS) return { before: from, widthMs };
  return { before: from, widthMs: widthMs * GROWTH > MOST_MS ? Infinity : widthMs * GROWTH };
}

/** The same walk with a narrower slice, after one that could not be read in time; null: there is none. */
export function narrowed({ before, widthMs }: SliceWalk): SliceWalk | null {
  if (widthMs === Infinity) return { before, widthMs: before === null ? FIRST_MS : MOST_MS / GROWTH };
  return widthMs > LEAST_MS ? { before, widthMs: Math.max(LEAST_MS, widthMs / GROWTH) } : null;
}
