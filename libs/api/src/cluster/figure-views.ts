import type { Capacity, EpochMs, HistoryBucket, HistoryReading, OverCapacity } from "@tickwheel/core";
import { MAX_COUNTED_OVERDUE } from "@tickwheel/core";
import { AHEAD_RANGES, type AheadRange, type Forecast, HISTORY_RANGES, type HistoryRange } from "@tickwheel/engine";

/** `GET /stats/history` as a client sees it. */
export interface HistoryView {
  range: HistoryRange;
  type: string | null;
  bucketMs: number;
  from: string;
  to: string;
  buckets: (Omit<HistoryBucket, "at"> & { at: string })[];
}

/** `GET /stats/forecast` as a client sees it. */
export interface ForecastView {
  ahead: AheadRange;
  type: string | null;
  bucketMs: number;
  countedAt: string;
  incomplete: boolean;
  overdue: number;
  /** Counting ended at `overdue`. */
  overdueAtLeast: boolean;
  oldestOverdueMs: number | null;
  nextDueAt: string | null;
  buckets: { at: string; due: number; fromSchedules: number }[];
  schedulesCut: boolean;
  types: { type: string; due: number }[];
  otherTypes: number;
  capacity: Capacity;
  over: (Omit<OverCapacity, "at" | "bucketMs"> & { at: string }) | null;
}

export function toHistoryView(
  { countedAt, buckets }: HistoryReading,
  { range, type = null }: { range: HistoryRange; type?: string | null },
): HistoryView {
  return {
    range,
    type,
    bucketMs: HISTORY_RANGES[range].bucketMs,
    from: instantOf(buckets[0]!.at),
    to: instantOf(countedAt),
    buckets: buckets.map((bucket) => ({ ...bucket, at: instantOf(bucket.at) })),
  };
}

export function toForecastView(
  forecast: Forecast,
  { ahead, type = null }: { ahead: AheadRange; type?: string | null },
): ForecastView {
  const { countedAt, incomplete, overdue, oldestDueAt, nextDueAt, buckets, schedulesCut } = forecast;
  const { types, otherTypes, capacity, over } = forecast;
  return {
    ahead,
    type,
    bucketMs: AHEAD_RANGES[ahead].bucketMs,
    countedAt: instantOf(countedAt),
    incomplete,
    overdue: Math.min(overdue, MAX_COUNTED_OVERDUE),
    overdueAtLeast: overdue > MAX_COUNTED_OVERDUE,
    oldestOverdueMs: oldestDueAt === null ? null : Math.max(0, countedAt - oldestDueAt),
    nextDueAt: nextDueAt === null ? null : instantOf(nextDueAt),
    buckets: buckets.map(({ at, due, fromSchedules }) => ({ at: instantOf(at), due, fromSchedules })),
    schedulesCut,
    types,
    otherTypes,
    capacity,
    over: over && overView(over),
  };
}

function overView({ at, due, capacity, lateMs, type, typeDue }: OverCapacity): ForecastView["over"] {
  return { at: instantOf(at), due, capacity, lateMs, type, typeDue };
}

function instantOf(at: EpochMs): string {
  return new Date(at).toISOString();
}
