import type { AheadReading, Pace } from "../ports/figure-store.js";
import type { OverCapacity } from "./finding-scene.js";

/** What the cluster can start. */
export interface Capacity {
  /** Tasks in a second; null: nothing has run, so nothing is known. */
  perSecond: number | null;
  /** It was seen: the best minute reached it. False: it is a guess, from places and how long executions took. */
  measured: boolean;
}

const SECOND_MS = 1_000;
const MINUTE_S = 60;
/** A node is not held for faster than this without having been seen: starts in a second. */
const MOST_UNSEEN_PER_NODE = 1_000;

/**
 * What a cluster with so many places can start in a second: as much as in its best minute of the last day. Where it was
 * never busy, that says little: then as much as its places allow by the time that executions took, at most 1,000 for
 * each node.
 */
export function capacityOf(
  { bestMinute, started, placeMs }: Pace,
  { places, nodes }: { places: number; nodes: number },
): Capacity {
  if (started === 0) return { perSecond: null, measured: false };
  const seen = bestMinute / MINUTE_S;
  const meanMs = Math.max(1, placeMs / started);
  const guess = Math.min((places * SECOND_MS) / meanMs, nodes * MOST_UNSEEN_PER_NODE);
  return { perSecond: Math.round(Math.max(seen, guess) * 10) / 10, measured: seen >= guess };
}

/** The first bucket that holds more than can be started in it; null: none does, or the capacity is not known. */
export function firstOverCapacity(
  { buckets }: Pick<AheadReading, "buckets">,
  { perSecond }: Capacity,
  bucketMs: number,
): OverCapacity | null {
  if (perSecond === null || perSecond === 0) return null;
  const capacity = Math.round((perSecond * bucketMs) / SECOND_MS);
  const over = buckets.find(({ due }) => due > capacity);
  if (!over) return null;
  const { at, due, topType, topDue } = over;
  const lateMs = Math.round(((due - capacity) / perSecond) * SECOND_MS);
  return { at, bucketMs, due, capacity, lateMs, type: topType!, typeDue: topDue };
}
