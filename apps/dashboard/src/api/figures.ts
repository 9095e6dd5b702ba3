import type { Lateness } from "./wire.js";

/** What the API sends of findings and figures, as far as the page uses it. Instants are ISO 8601 strings. */

export const severities = ["critical", "warning", "notice"] as const;
export type Severity = (typeof severities)[number];

/** What is the matter. The server makes its sentences. */
export interface Finding {
  readonly id: string;
  readonly code: string;
  readonly severity: Severity;
  readonly since: string;
  /** Null: it is still so. */
  readonly until: string | null;
  readonly title: string;
  readonly consequence: string;
  readonly cure: string;
  readonly facts: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

export interface Findings {
  /** Worst first. */
  readonly now: readonly Finding[];
  /** Those that are over, newest first. The stream sends the newest 20. */
  readonly lastDay: readonly Finding[];
}

export const historyRanges = ["1h", "24h", "7d"] as const;
export type HistoryRange = (typeof historyRanges)[number];

export interface HistoryBucket {
  readonly at: string;
  readonly created: number;
  readonly started: number;
  readonly succeeded: number;
  /** Of these. */
  readonly skipped: number;
  /** Attempts. */
  readonly failed: number;
  readonly dead: number;
  readonly latenessMs: Lateness | null;
  /** The lateness of all starts in parts, each part added up. */
  readonly latenessPartsMs: Readonly<Record<"known" | "wheel" | "place" | "claim" | "start", number>>;
  /** Places in use, on the mean. */
  readonly places: number;
}

/** What happened. The last bucket is the present, not over yet. The stream sends the last two. */
export interface History {
  readonly range: HistoryRange;
  readonly type: string | null;
  readonly bucketMs: number;
  readonly from: string;
  readonly to: string;
  readonly buckets: readonly HistoryBucket[];
}

export const aheads = ["1h", "24h", "30d"] as const;
export type Ahead = (typeof aheads)[number];

export interface ForecastBucket {
  readonly at: string;
  readonly due: number;
}

export interface Capacity {
  /** Tasks; null: not known. */
  readonly perSecond: number | null;
  /** False: a guess. */
  readonly measured: boolean;
}

/** The first bucket that holds more than can be started in it. */
export interface OverCapacity {
  readonly at: string;
  readonly due: number;
  readonly capacity: number;
  readonly lateMs: number;
  readonly type: string;
  readonly typeDue: number;
}

/** What is to come. */
export interface Forecast {
  readonly ahead: Ahead | "1m";
  readonly type: string | null;
  readonly bucketMs: number;
  readonly countedAt: string;
  /** There is more than was counted. */
  readonly incomplete: boolean;
  /** At most 10,000 are counted. */
  readonly overdue: number;
  /** Counting ended at `overdue`: there are more. */
  readonly overdueAtLeast: boolean;
  readonly oldestOverdueMs: number | null;
  readonly nextDueAt: string | null;
  readonly buckets: readonly ForecastBucket[];
  /** Most first; at most ten. */
  readonly types: readonly { readonly type: string; readonly due: number }[];
  readonly otherTypes: number;
  readonly capacity: Capacity;
  readonly over: OverCapacity | null;
}

export interface TypeFigures {
  readonly type: string;
  readonly delivery: "handler" | "webhook";
  readonly overdue: number;
  /** Counting ended at `overdue`: there are more. */
  readonly overdueAtLeast: boolean;
  readonly oldestOverdueMs: number | null;
  readonly running: number;
  /** Of the last minute. */
  readonly startsPerSecond: number;
  /** Tasks of the last five minutes. */
  readonly succeeded: number;
  /** Of these, the ones whose condition said no. */
  readonly skipped: number;
  /** Of the attempts of the last five minutes, from 0 to 1. */
  readonly failedShare: number | null;
  readonly latenessMs: Lateness | null;
  /** Labels; none without the right `cluster`. */
  readonly nodes: readonly string[];
  readonly waitsFor: "HANDLER" | "CAPACITY" | "BREAKER" | null;
  readonly lastError: string | null;
}

/** Types, those in need first. */
export interface TypePage {
  readonly items: readonly TypeFigures[];
  readonly nextCursor: string | null;
  readonly countedAt: string;
}
