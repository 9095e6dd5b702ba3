import {
  compareUtf8,
  type CreateResult,
  type KeyRun,
  type MergeMisfit,
  misfitOf,
  type NewTask,
  type RejectedCreate,
  slotOfId,
} from "@tickwheel/core";

/** Whether what a run comes to is judged: it is of merges, and one of them has a judge. */
export function isJudged({ entries }: KeyRun): boolean {
  return entries.some(({ task }) => task.onConflict === "merge" && task.judge !== undefined);
}

/**
 * Splits a part so that each judged run stands alone, since what does not fit is undone with all that was written
 * beside it. The pieces keep the order of locks: (slot, type, key).
 */
export function trialsApart(part: readonly KeyRun[]): KeyRun[][] {
  if (!part.some(isJudged)) return [[...part]];
  const pieces: KeyRun[][] = [];
  for (const run of part.toSorted((one, other) => inLockOrder(one.task, other.task))) {
    const last = pieces.at(-1);
    if (last && !isJudged(last[0]!) && !isJudged(run)) last.push(run);
    else pieces.push([run]);
  }
  return pieces;
}

function inLockOrder(one: NewTask, other: NewTask): number {
  return (
    slotOfId(one.id) - slotOfId(other.id) || one.typeId - other.typeId || compareUtf8(one.key ?? "", other.key ?? "")
  );
}

/** Why what a run has written must not stay; null: it may. The first entry may have made the task that the rest met. */
export function misfitOfRun({ entries }: KeyRun, results: readonly CreateResult[]): MergeMisfit | null {
  const written = entries.flatMap(({ place, task: merge }) => {
    const result = results[place];
    return result && result.outcome !== "rejected" ? [{ merge, result }] : [];
  });
  const [first] = written;
  if (!first) return null;
  const rest = first.result.outcome === "merged" ? written : written.slice(1);
  const ofFirst = rest === written ? null : misfitOf([first.merge], first.result.task);
  if (ofFirst || rest.length === 0) return ofFirst;
  return misfitOf(
    rest.map(({ merge }) => merge),
    rest[0]!.result.task,
  );
}

/** The answer to a judged merge that was undone. */
export function rejectedBy({ code, faults }: MergeMisfit, existingId: string): RejectedCreate {
  return { outcome: "rejected", code, existingId, ...(code === "MERGE_CONFLICT" && { path: "payload" }), faults };
}
