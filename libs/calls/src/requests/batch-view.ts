import {
  type Batch,
  type BatchCounts,
  type BatchState,
  type BatchStopReason,
  type EpochMs,
  type FollowUp,
  type Leftover,
  liveMembers,
} from "@tickwheel/core";
import type { InstantForm } from "./task-view.js";

/** What a batch makes at its end. */
export interface FollowUpView {
  type: string;
  /** The task; null: it is not made yet, or never will be. */
  taskId: string | null;
}

/** A batch as every edge shows it. */
export interface BatchFields<Instant> {
  id: string;
  name: string | null;
  /**
   * `filling`: members can be added. `open`: it is sealed, and members of it live. `complete`: every member has ended.
   * `cancelled`: somebody cancelled it.
   */
  state: BatchState;
  /** Members by how they ended, as of the answer; `live` ones have not. */
  counts: BatchCounts & { live: number };
  /** The share of its members that have ended, 0 … 1; null: it is filling, and has none. */
  progress: number | null;
  /** How many shards it was split into; null: it was not. */
  shards: number | null;
  createdAt: Instant;
  createdBy: string;
  /** Null: it is filling, or was cancelled before it was sealed. */
  sealedAt: Instant | null;
  /** When it became complete or was cancelled. */
  finishedAt: Instant | null;
  /** When it is looked who is not done; null: never. */
  deadlineAt: Instant | null;
  /** It was looked at the deadline, and a member had not succeeded. */
  overdue: boolean;
  /** Members that had not succeeded at the deadline, some of them by name; null: it was not looked yet. */
  leftovers: { count: number; named: readonly Leftover[] } | null;
  /** The first member that ends dead stops it. */
  failFast: boolean;
  /** Members that are dead at the deadline are retried once. */
  retryDead: boolean;
  /** Why it takes back its members; null: it does not. */
  stop: { reason: BatchStopReason; at: Instant; by: string } | null;
  /** Members that have not started are being taken back, and the others are being asked. */
  isStopping: boolean;
  /** Since when its dead members are being retried; null: they are not. */
  retryingSince: Instant | null;
  /** Made when every member has ended; null: nothing is. */
  onComplete: FollowUpView | null;
  /** Made when every member has succeeded; null: nothing is. */
  onSuccess: FollowUpView | null;
}

/** A batch in code. */
export type BatchView = BatchFields<Date>;

export function toBatchView<Instant>(batch: Batch, instantOf: InstantForm<Instant>): BatchFields<Instant> {
  const { counts, leftovers, deadlineCheckedAt, stop } = batch;
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  const { total, succeeded, dead, cancelled, expired } = counts;
  return {
    id: batch.id,
    name: batch.name,
    state: batch.state,
    counts: { total, live: liveMembers(counts), succeeded, dead, cancelled, expired },
    progress: progressOf(batch),
    shards: batch.shards,
    createdAt: instantOf(batch.createdAt),
    createdBy: batch.createdBy,
    sealedAt: orNull(batch.sealedAt),
    finishedAt: orNull(batch.finishedAt),
    deadlineAt: orNull(batch.deadlineAt),
    overdue: deadlineCheckedAt !== null && leftovers !== null && leftovers.count > 0,
    leftovers: leftovers && { count: leftovers.count, named: leftovers.named },
    failFast: batch.failFast,
    retryDead: batch.retryDead,
    stop: stop && { reason: stop.reason, at: instantOf(stop.at), by: stop.by },
    isStopping: batch.isStopping,
    retryingSince: orNull(batch.retryingSince),
    onComplete: followUpView(batch.onComplete, batch.onCompleteId),
    onSuccess: followUpView(batch.onSuccess, batch.onSuccessId),
  };
}

/** An empty batch that takes no members any more has nothing left to do. */
function progressOf({ counts, state }: Batch): number | null {
  if (counts.total > 0) return (counts.total - liveMembers(counts)) / counts.total;
  return state === "filling" ? null : 1;
}

function followUpView(followUp: FollowUp | null, taskId: string | null): FollowUpView | null {
  return followUp && { type: followUp.type, taskId };
}
