import type { TickwheelError } from "../errors/errors.js";
import type { TypeId } from "../task/task.js";

/** Which ends of a type are to be deleted, and a page of them. */
export interface ForgetRequest {
  typeId: TypeId;
  state: "succeeded" | "cancelled" | "dead";
  keptMs: number;
  /** The id behind which the page begins; null: the first one. */
  after: string | null;
  /** Most tasks that are looked at. */
  limit: number;
}
export interface ForgetReply {
  /** How many were deleted. */
  forgotten: number;
  /** Where the next page begins; null: this one was the last. */
  next: string | null;
}

export interface Retention {
  historyRetentionDays: number;
  deadRetentionDays: number;
  /** Types that were not in use for so long are dropped. */
  typeRetentionDays: number;
}
export interface MaintenanceReply {
  created: string[];
  dropped: string[];
  /** Names of types that were not in use. */
  droppedTypes: string[];
  /** There are more rows past their retention than one call forgets: call again. */
  hasMore: boolean;
  /** The steps that could not be done; the other steps were. */
  failed: MaintenanceFailure[];
}

/**
 * A step of upkeep that the database refused: partitions made, their rows made identifiable, partitions dropped, rows
 * deleted, unused types dropped.
 */
export interface MaintenanceFailure {
  step: "create" | "identify" | "drop" | "forget" | "types";
  error: TickwheelError;
}
