import type { EpochMs, NewTask } from "../task/task.js";
import type { Batch, BatchStopReason } from "./batch.js";

/** What a decision about a batch sees, by statements that were sent after its row was locked. */
export interface BatchScene {
  batch: Batch;
  /** The database's clock, read after the lock. */
  now: EpochMs;
  /** Whether a member lives. */
  hasLive: boolean;
}

/** What is written about a batch, all in the transaction that holds its row. An absent field stays as it is. */
export interface BatchChange {
  /** The deadline has passed: who is not done is counted and named. */
  checksDeadline?: true;
  /** The dead members are to be retried. */
  beginsRetries?: true;
  /** Tasks that have not started are to be cancelled, the rest is to be asked. */
  stops?: BatchStopReason;
  /** Nothing that was to be stopped lives any more. */
  hasStopped?: true;
  completes?: true;
  /** The tasks of its end are to be made. */
  makesOnComplete?: true;
  makesOnSuccess?: true;
}

/** A decision with the tasks that it makes. */
export interface BatchDecision {
  change: BatchChange;
  /** Null: the change makes none. */
  onComplete: NewTask | null;
  onSuccess: NewTask | null;
}

/**
 * Decides what becomes of a batch; null: nothing. Whatever it decides, the next look decides the rest: a deadline and
 * an end that come together are two looks.
 *
 * @param mostMembers of a batch: one with more stops
 */
export function decideBatch(scene: BatchScene, mostMembers: number): BatchChange | null {
  const { batch } = scene;
  const stops = stopReason(batch, mostMembers);
  if (stops) return { stops };
  if (isDeadlineDue(scene)) return { checksDeadline: true, ...(retriesNow(batch) && { beginsRetries: true }) };
  const change = { ...ending(scene), ...(batch.isStopping && !scene.hasLive && { hasStopped: true as const }) };
  return Object.keys(change).length === 0 ? null : change;
}

function stopReason({ state, stop, failFast, counts }: Batch, mostMembers: number): BatchStopReason | null {
  if (stop !== null || (state !== "filling" && state !== "open")) return null;
  if (failFast && counts.dead > 0) return "FAIL_FAST";
  return counts.total > mostMembers ? "TOO_MANY_MEMBERS" : null;
}

function isDeadlineDue({ batch: { state, deadlineAt, deadlineCheckedAt }, now }: BatchScene): boolean {
  return state !== "cancelled" && deadlineCheckedAt === null && deadlineAt !== null && deadlineAt <= now;
}

function retriesNow({ state, retryDead, counts, stop }: Batch): boolean {
  return retryDead && counts.dead > 0 && stop === null && state !== "complete";
}

function ending({ batch, hasLive }: BatchScene): BatchChange {
  const { state, onComplete, onSuccess, onSuccessId, counts } = batch;
  const completes = state === "open" && !hasLive && !awaitsRetries(batch);
  const isComplete = completes || state === "complete";
  const succeeds = isComplete && onSuccess !== null && onSuccessId === null && counts.succeeded === counts.total;
  return {
    ...(completes && { completes: true }),
    ...(completes && onComplete !== null && { makesOnComplete: true }),
    ...(succeeds && { makesOnSuccess: true }),
  };
}

/** Whether dead members are still to be retried, or are being retried. */
function awaitsRetries({ retryDead, counts, deadlineCheckedAt, retryingSince, stop }: Batch): boolean {
  if (stop !== null) return false;
  return retryingSince !== null || (retryDead && counts.dead > 0 && deadlineCheckedAt === null);
}
