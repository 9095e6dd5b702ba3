import type { Batch, DecideBatch, EpochMs, NewTask, ReviewedBatch, Task } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { lockBatchForReview } from "../statements/batches/lock-batch.js";
import { nameLeftovers } from "../statements/batches/name-leftovers.js";
import { readBatchById } from "../statements/batches/read-batches.js";
import { keepWitness, lookForLiveMember, writeReview } from "../statements/batches/review-batch.js";
import { type Naming, writeTasks } from "./write-tasks.js";

export interface ReviewContext {
  session: Session;
  asOf: EpochMs | null;
  /** The names of these tasks' types. */
  namesOf: (namespace: string, tasks: readonly NewTask[]) => Promise<Naming>;
}

/**
 * Decides about one batch in the session's transaction: locks its row, *then* looks for a live member and at the
 * counts, and writes what the decision says [batch-complete]. Null: others work at the batch, or nothing is to be done.
 */
export async function reviewBatch(
  context: ReviewContext,
  id: string,
  decide: DecideBatch,
): Promise<ReviewedBatch | null> {
  const { session, asOf } = context;
  const [locked] = await session.run(lockBatchForReview, { id });
  if (!locked) return null;
  const [look] = await session.run(lookForLiveMember, { id, asOf });
  const [batch] = await session.run(readBatchById, { id });
  const { now, witness } = look!;
  const decision = decide({ batch: batch!, now, hasLive: witness !== null });
  if (decision === null) {
    await session.run(keepWitness, { id, witness });
    return null;
  }
  const { change } = decision;
  const onComplete = await makeFollowUp(context, batch!, decision.onComplete);
  const onSuccess = await makeFollowUp(context, batch!, decision.onSuccess);
  await session.run(writeReview, {
    id,
    now,
    witness,
    completes: change.completes ?? false,
    checksDeadline: change.checksDeadline ?? false,
    leftovers: change.checksDeadline ? await leftoversOf(session, batch!) : null,
    beginsRetries: change.beginsRetries ?? false,
    stops: change.stops ?? null,
    hasStopped: change.hasStopped ?? false,
    onCompleteId: onComplete?.id ?? null,
    onSuccessId: onSuccess?.id ?? null,
  });
  const [after] = await session.run(readBatchById, { id });
  return { batch: after!, change, created: [onComplete, onSuccess].flatMap((made) => made?.created ?? []) };
}

/** Makes the task of a batch's end. A task that has its key already is that task. */
async function makeFollowUp(
  { session, asOf, namesOf }: ReviewContext,
  { namespace }: Batch,
  task: NewTask | null,
): Promise<{ id: string; created: Task[] } | null> {
  if (task === null) return null;
  const request = { namespace, tasks: [{ ...task, onConflict: "return" as const }] };
  const [result] = await writeTasks(session, { request, types: await namesOf(namespace, [task]), asOf });
  if (result!.outcome === "rejected") return { id: result!.existingId, created: [] };
  return { id: result!.task.id, created: result!.outcome === "created" ? [result!.task] : [] };
}

async function leftoversOf(session: Session, { id, counts }: Batch): Promise<string> {
  const count = counts.total - counts.succeeded;
  return JSON.stringify({ count, named: count === 0 ? [] : await session.run(nameLeftovers, { id }) });
}
