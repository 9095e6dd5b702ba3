import type { Cause, FindingValues } from "../reports/finding.js";
import { MAX_COUNTED_TROUBLED, type TroubledBatch, type TroubledBatches } from "../reports/troubled-batches.js";
import { causeOf } from "./cause.js";
import type { FindingScene } from "./finding-scene.js";

/**
 * Batches that need somebody: one cause for each namespace and trouble, however many batches it is about.
 *
 * A finding is about now, so a batch that passed its deadline is told until its members have all succeeded, it is
 * cancelled, or a day has gone by since the look at its deadline: then everybody who wanted to settle it has had a day,
 * and the batch itself goes on saying that it was overdue. A batch that nobody seals is told until somebody does.
 */
export function batchCauses({ troubledBatches, nowMs }: FindingScene): Cause[] {
  return troubledBatches.map(({ trouble, namespace, ...told }) => {
    const isOverdue = trouble === "OVERDUE";
    const facts = { ...namesOf(told), ...(isOverdue ? overdueFacts(told) : unsealedFacts(told, nowMs)) };
    return causeOf(isOverdue ? "BATCH_OVERDUE" : "BATCH_UNSEALED", facts, { subject: namespace, namespace });
  });
}

type Told = Pick<TroubledBatches, "count" | "batches">;

function namesOf({ count, batches }: Told): FindingValues {
  return {
    batches: batches.map(({ id, name }) => name ?? id),
    batchIds: batches.map(({ id }) => id),
    batchCount: count,
    areMoreBatches: count > MAX_COUNTED_TROUBLED,
  };
}

/** What can be said of one batch only is said where there is one. */
function overdueFacts({ count, batches }: Told): FindingValues {
  const deadlineAt = new Date(Math.max(...batches.map(({ at }) => at))).toISOString();
  return { deadlineAt, ...(count === 1 && standingOf(batches[0]!)) };
}

function standingOf({ left, missing, total, isComplete, onComplete }: TroubledBatch): FindingValues {
  return { left, missing, total, isComplete, onComplete };
}

function unsealedFacts({ batches }: Told, nowMs: number): FindingValues {
  return { openForMs: nowMs - Math.min(...batches.map(({ at }) => at)) };
}
