import type { DeliveryKind, EpochMs, TypeId } from "../task/task.js";

/** Figures for people: counted within a budget, a little old, and none of them decides anything. */
export interface FigureStore {
  /** Of all types of a namespace, or of all (null), that are not dropped; in no order. */
  types(namespace: string | null): Promise<TypeFiguresReading>;
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
  /** Attempts that failed. */
  lastFailed: number;
  /** Of these, the ones that ended their tasks. */
  lastDead: number;
  /** `p50` and `p99` are at most an eighth above the true ones; null: nothing started. */
  lastLatenessMs: { p50: number; p99: number; max: number } | null;
  /** The newest error of an attempt, shortened; null: none is known. */
  lastError: string | null;
}
