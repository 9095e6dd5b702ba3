import type { LatenessPartsMs } from "../task/lateness.js";
import type { DeliveryKind, EpochMs, TypeId } from "../task/task.js";
import type { TaskTab } from "../reports/task-tabs.js";
import type { SnapshotReading } from "../reports/held-snapshots.js";
import type { StoreSettings } from "../reports/unsafe-settings.js";
import type { SlotOwners, WheelReading } from "../reports/wheel-figures.js";

/** Figures for people: counted within a budget, a little old, and none of them decides anything. */
export interface FigureStore {
  /** The figures of all types of a namespace, or of all namespaces (null), that are not dropped; in no order. */
  types(namespace: string | null): Promise<TypeFiguresReading>;
  /** What happened, from the counters that nodes wrote. */
  history(request: HistoryRequest): Promise<HistoryReading>;
  /** What is to come, from the tasks that are scheduled, and from what schedules will make. */
  ahead(request: AheadRequest): Promise<AheadReading>;
  /** The minute to come by second, and by the node that owns it. */
  wheel(owners: SlotOwners): Promise<WheelReading>;
  /** How fast the cluster worked within the last 24 hours, all namespaces together. */
  pace(): Promise<Pace>;
  /** How many tasks each tab has, at most {@link TAB_COUNTS_MS} old. */
  tabs(namespace: string): Promise<TabCounts>;
  /** The settings of the server on which promises stand. */
  storeSettings(): Promise<StoreSettings>;
  /** Who holds snapshots because of which dead rows are kept, as far as this role may see it. */
  snapshotHolders(): Promise<SnapshotReading>;
}

/** The greatest age of the tabs' counts, in milliseconds. */
export const TAB_COUNTS_MS = 10_000;
/** At most this many tasks of a tab are counted. What finished is told by its counters, and has no such bound. */
export const MAX_COUNTED_IN_TAB = 100_000;
/** Failing tasks have no index: this number of scheduled tasks of all types together is looked at, those due first. */
export const MAX_LOOKED_AT_FAILING = 20_000;

export interface TabCounts {
  /** By the store's clock. */
  countedAt: EpochMs;
  counts: Record<TaskTab, TabCount>;
}

export interface TabCount {
  count: number;
  /** There may be more than `count`: counting ended there. */
  isAtLeast: boolean;
}

/** A stretch of time in buckets of one length. */
export interface HistoryRequest {
  namespace: string;
  /** One type's. Default: all of the namespace together. */
  type?: string;
  /** Milliseconds: a minute, ten minutes or an hour. */
  bucketMs: number;
  /** How many, the present one among them. */
  buckets: number;
}

export interface HistoryReading {
  /** By the store's clock: the end of the present bucket as far as it has come. */
  countedAt: EpochMs;
  /** Oldest first, each of them, also where nothing happened. */
  buckets: HistoryBucket[];
}

export interface HistoryBucket {
  /** Its beginning. */
  at: EpochMs;
  created: number;
  started: number;
  succeeded: number;
  /** How many of these had a condition that said no. */
  skipped: number;
  /** Attempts. */
  failed: number;
  dead: number;
  /** `p50` and `p99` are at most an eighth above the true ones; null: nothing started. */
  latenessMs: { p50: number; p99: number; max: number } | null;
  /** The lateness of all starts in parts, each part added up. */
  latenessPartsMs: LatenessPartsMs;
  /** Places in use, on the mean. */
  places: number;
}

export interface AheadRequest {
  /** Null: all namespaces. */
  namespace: string | null;
  type?: string;
  bucketMs: number;
  buckets: number;
}

/** An answer looks at so many scheduled tasks at most; of more it says that it is incomplete. */
export const MAX_COUNTED_AHEAD = 2_000_000;
/** How many types are told by name. */
export const MAX_TYPES_AHEAD = 10;

export interface AheadReading {
  countedAt: EpochMs;
  /** Not all tasks were looked at: the figures are the least there is. */
  incomplete: boolean;
  /** At most {@link MAX_COUNTED_OVERDUE} + 1. */
  overdue: number;
  oldestDueAt: EpochMs | null;
  /** The next task that is to become due; null: none within this time. */
  nextDueAt: EpochMs | null;
  /** From now on; the first one begins now. */
  buckets: AheadBucket[];
  /** Most first, {@link MAX_TYPES_AHEAD} at most. */
  types: { type: string; due: number }[];
  /** How many types more there are with tasks in this time. */
  otherTypes: number;
  /** Not all schedules or not all their instants were looked at: they may make more than is told. */
  schedulesCut: boolean;
}

export interface AheadBucket {
  at: EpochMs;
  due: number;
  /** The type with most of them; null: there are none. */
  topType: string | null;
  topDue: number;
  /** Tasks that schedules will make beside `due`, if no run skips the next: about as many, and seldom more. */
  fromSchedules: number;
}

export interface Pace {
  /** Starts in the best minute. */
  bestMinute: number;
  started: number;
  /** Milliseconds for which handlers held places, all added up. */
  placeMs: number;
}

export interface TypeFiguresReading {
  /** By the store's clock. */
  countedAt: EpochMs;
  types: TypeFigures[];
}

/** At most this many overdue tasks of a type are counted; more are told as one more than this. */
export const MAX_COUNTED_OVERDUE = 10_000;

/** A type in numbers. `last…` are of the last five minutes. */
export interface TypeFigures {
  typeId: TypeId;
  namespace: string;
  type: string;
  delivery: DeliveryKind;
  /** Tasks whose time has come and that nobody has started; at most {@link MAX_COUNTED_OVERDUE} + 1. */
  overdue: number;
  /** Since when the oldest of them is due; null: there is none. */
  oldestDueAt: EpochMs | null;
  /** Claimed or running, on all nodes. */
  running: number;
  /** Started within the last ten seconds. */
  startedLately: number;
  lastMinuteStarted: number;
  lastStarted: number;
  lastSucceeded: number;
  /** How many of these had a condition that said no. */
  lastSkipped: number;
  /** Attempts that failed. */
  lastFailed: number;
  /** How many of these ended their tasks. */
  lastDead: number;
  /** `p50` and `p99` are at most an eighth above the true ones; null: nothing started. */
  lastLatenessMs: { p50: number; p99: number; max: number } | null;
  /** The newest error of an attempt, shortened; null: none is known. */
  lastError: string | null;
}
