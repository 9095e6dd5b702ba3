import type { History, HistoryBucket } from "../api/wire.js";

/** A history in columns, oldest first, as the charts take it. */
export interface HistoryColumns {
  /** When each bucket begins, in seconds of the epoch. */
  readonly at: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
  readonly max: readonly (number | null)[];
  /** In a second. */
  readonly created: readonly number[];
  /** In a second. */
  readonly started: readonly number[];
  /** In a bucket. */
  readonly failed: readonly number[];
  readonly places: readonly number[];
}

/** A rate of less than this says nothing yet. */
const leastElapsedMs = 5_000;

export function columnsOf({ buckets, bucketMs, to }: History): HistoryColumns {
  const until = Date.parse(to);
  const rates = (count: (bucket: HistoryBucket) => number): number[] =>
    buckets.map((bucket) => rateOf(count(bucket), Math.min(bucketMs, until - Date.parse(bucket.at))));
  return {
    at: buckets.map(({ at }) => Date.parse(at) / 1000),
    p50: buckets.map(({ latenessMs }) => latenessMs?.p50 ?? null),
    p99: buckets.map(({ latenessMs }) => latenessMs?.p99 ?? null),
    max: buckets.map(({ latenessMs }) => latenessMs?.max ?? null),
    created: rates(({ created }) => created),
    started: rates(({ started }) => started),
    failed: buckets.map(({ failed }) => failed),
    places: buckets.map(({ places }) => places),
  };
}

/** In a second. The present bucket is not over: it counts for as long as it has lasted. */
function rateOf(count: number, elapsedMs: number): number {
  return count / (Math.max(leastElapsedMs, elapsedMs) / 1000);
}

/**
 * The history with its newest buckets, as the stream tells them. What the history does not reach up to is left out: the
 * next reading has it.
 */
export function historyWith(history: History, tail: History): History {
  const first = Date.parse(tail.buckets[0]?.at ?? "");
  const last = Date.parse(history.buckets.at(-1)?.at ?? "");
  const isSame = tail.range === history.range && tail.type === history.type && tail.bucketMs === history.bucketMs;
  if (!isSame || !(first <= last + history.bucketMs) || Date.parse(tail.to) < Date.parse(history.to)) return history;
  const older = history.buckets.filter(({ at }) => Date.parse(at) < first);
  const buckets = [...older, ...tail.buckets].slice(-history.buckets.length);
  return { ...history, from: buckets[0]!.at, to: tail.to, buckets };
}
