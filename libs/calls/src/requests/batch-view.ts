import { type Batch, type EpochMs, type FollowUp, liveMembers } from "@tickwheel/core";
import type { BatchFields, FollowUpView } from "./batch-view.generated.js";
import type { InstantForm } from "./task-view.js";

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
