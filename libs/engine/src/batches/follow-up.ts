import {
  type Batch,
  type BatchDecision,
  type BatchScene,
  decideBatch,
  type EpochMs,
  type FollowUp,
  followUpKey,
  type NewTask,
  newTaskId,
  type Random,
  slotOfKey,
} from "@tickwheel/core";

/** What is decided about a batch, with the tasks of its end. */
export function reviewBy(mostMembers: number, random: Random): (scene: BatchScene) => BatchDecision | null {
  return (scene) => {
    const { batch, now } = scene;
    const change = decideBatch(scene, mostMembers);
    if (change === null) return null;
    const { onComplete, onSuccess } = batch;
    const draft = (followUp: FollowUp | null, end: "complete" | "success") =>
      followUp && draftFollowUp(followUp, { batch, end, now, random });
    return {
      change,
      onComplete: change.makesOnComplete ? draft(onComplete, "complete") : null,
      onSuccess: change.makesOnSuccess ? draft(onSuccess, "success") : null,
    };
  };
}

/** What a batch makes at its end, of the task that was drafted for it. */
export function followUpOf(draft: NewTask, type: string): FollowUp {
  const { id: _id, key: _key, onConflict: _onConflict, ...task } = draft;
  return { ...task, type };
}

function draftFollowUp(
  { type, ...task }: FollowUp,
  { batch, end, now, random }: { batch: Batch; end: "complete" | "success"; now: EpochMs; random: Random },
): NewTask {
  const key = followUpKey(batch.id, end);
  const id = newTaskId(now, slotOfKey(batch.namespace, type, key), random);
  return { ...task, id, key, onConflict: "return" };
}
