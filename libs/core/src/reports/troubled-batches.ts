import type { EpochMs } from "../task/task.js";

/** A reading counts so many batches of one kind at most; more are told as one more than this. */
export const MAX_COUNTED_TROUBLED = 100;
/** How many of these are told by name. */
export const MAX_TROUBLED_NAMES = 20;
/** A reading tells of so many namespaces at most, for each kind of trouble. */
export const MAX_TROUBLED_NAMESPACES = 50;
/** Batches that were not done at their deadline are told for so long after it was looked, in milliseconds: a day. */
export const OVERDUE_TOLD_FOR_MS = 86_400_000;
/** A batch that has been filling for so long, in milliseconds, is told: a day. */
export const UNSEALED_AFTER_MS = 86_400_000;

/**
 * `OVERDUE`: members had not succeeded at the deadline, and some have not yet; told for {@link OVERDUE_TOLD_FOR_MS}.
 * `UNSEALED`: it has been filling for {@link UNSEALED_AFTER_MS} or longer.
 */
export type BatchTrouble = "OVERDUE" | "UNSEALED";

/** Counts are as of the last fold, about a second ago. */
export interface TroubledBatch {
  id: string;
  name: string | null;
  /** When its deadline was; of an unsealed one when it was made. */
  at: EpochMs;
  /** Members that had not succeeded at the deadline; 0: that was not looked. */
  left: number;
  /** Members that have not succeeded now, of all. */
  missing: number;
  total: number;
  isComplete: boolean;
  /** The type of the task that it makes when it is complete; null: it makes none. */
  onComplete: string | null;
}

/** Batches of one namespace that need somebody, for one reason. */
export interface TroubledBatches {
  trouble: BatchTrouble;
  namespace: string;
  /** At most {@link MAX_COUNTED_TROUBLED} + 1. */
  count: number;
  /** At most {@link MAX_TROUBLED_NAMES}: of overdue ones those of the latest look, of unsealed ones the oldest. */
  batches: readonly TroubledBatch[];
}
