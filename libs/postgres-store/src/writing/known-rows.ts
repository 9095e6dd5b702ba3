import type { EpochMs, NewTask, Task, TaskType } from "@tickwheel/core";

/*
 * These functions give the rows that a statement wrote. The statement answers only its instant; the caller knows
 * everything else.
 */

/** The row of a task that was inserted. */
export function insertedTask(task: NewTask, { namespace, type }: TaskType, now: EpochMs): Task {
  const { id, typeId, key, payload, startDeadlineMs, priority, maxAttempts, backoff, timeoutMs, webhook } = task;
  const asked = "at" in task.due ? Math.round(task.due.at) : now + Math.round(task.due.delayMs);
  const dueAt = Math.max(now, asked);
  const startDeadlineAt = startDeadlineMs === null ? null : dueAt + Math.round(startDeadlineMs);
  return {
    id,
    typeId,
    namespace,
    type,
    key,
    keyLive: key !== null,
    payload,
    state: "scheduled",
    reason: null,
    scheduledAt: dueAt,
    dueAt,
    startDeadlineAt,
    createdAt: now,
    claimedAt: null,
    startedAt: null,
    finishedAt: null,
    attempt: 0,
    maxAttempts,
    crashCount: 0,
    priority,
    version: 1,
    fence: 0,
    owner: null,
    node: null,
    backoff,
    timeoutMs,
    webhook,
    cancelRequestedAt: null,
    result: null,
    lastError: null,
    createdBy: task.actor,
    cancelledBy: null,
  };
}

/**
 * The row of a holder whose key was freed.
 *
 * @param freed `by`: the actor who replaces the holder; null: the holder goes on without its key
 */
export function freedTask(holder: Task, { by, now }: { by: string | null; now: EpochMs }): Task {
  if (by === null || holder.cancelRequestedAt !== null) return { ...holder, keyLive: false };
  const asked = { keyLive: false, reason: "REPLACED" as const, cancelledBy: by, version: holder.version + 1 };
  return holder.state === "scheduled"
    ? { ...holder, ...asked, state: "cancelled", finishedAt: now }
    : { ...holder, ...asked, cancelRequestedAt: now };
}
