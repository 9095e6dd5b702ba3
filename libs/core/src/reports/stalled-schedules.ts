import type { EpochMs, TypeId } from "../task/task.js";

/** A reading counts so many schedules of one kind at most; more are told as one more than this. */
export const MAX_COUNTED_STALLED = 100;
/** How many of these are told by name. */
export const MAX_STALLED_NAMES = 10;
/** A reading tells of so many types at most, for each of them and each reason. */
export const MAX_STALLED_KINDS = 200;

/** Why schedules do not run. `NO_NODE`: no node runs their type. The others are the reasons of a pause. */
export type StallReason = "NO_NODE" | "FAILURES" | "UNANNOUNCED";

/** Schedules of one type that do not run for one reason. */
export interface StalledSchedules {
  typeId: TypeId;
  namespace: string;
  type: string;
  reason: StallReason;
  /** At most {@link MAX_COUNTED_STALLED} + 1. */
  count: number;
  /** The first by name, rising; at most {@link MAX_STALLED_NAMES}. */
  names: readonly string[];
  /** The most occurrences in a row that failed, of those that were counted. */
  failures: number;
  /** The earliest of those that were counted: when it paused; with `NO_NODE`, when its content was last changed. */
  since: EpochMs;
}
