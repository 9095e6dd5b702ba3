import type { EpochMs } from "@tickwheel/core";

/** A node's idea of the database's time. */
export interface TimeEstimate {
  /** Epoch milliseconds with fractions. */
  nowMs: number;
  /** The true time differs from it by at most this. */
  errorMs: number;
}

/**
 * [never-early]: whole milliseconds until the database's clock has surely reached an instant, 0 if it has. Surely,
 * because the estimate's own error is waited for too; the node's wall clock has no say.
 *
 * @example timeUntilDueMs(1_000, { nowMs: 999.8, errorMs: 0.5 }) // 1
 */
export function timeUntilDueMs(instant: EpochMs, { nowMs, errorMs }: TimeEstimate): number {
  return Math.max(0, Math.ceil(instant - (nowMs - errorMs)));
}
