import { bitsOf, type EpochMs, isWaitingState, type Task, type TaskType } from "@tickwheel/core";
import type { CycleTask } from "../statements/create/new-rows.js";

/*
 * These functions give the rows that a statement wrote. The statement answers only its instant; the caller knows
 * everything else.
 */

/** What no create says of a task: nothing has happened to it yet. */
const UNTOUCHED = {
  pausedAt: null,
  pausedMs: 0,
  claimedAt: null,
  startedAt: null,
  latenessParts: null,
  finishedAt: null,
  attempt: 0,
  crashCount: 0,
  snoozeCount: 0,
  version: 1,
  fence: 0,
  owner: null,
  node: null,
  cancelRequestedAt: null,
  result: null,
  lastError: null,
  errorPrint: null,
  cancelledBy: null,
  continuedBy: null,
} as const;

/** The row of a task that was inserted. */
export function insertedTask(task: CycleTask, { namespace, type }: TaskType, now: EpochMs): Task {
  const { id, typeId, key, payload, startDeadlineMs, priority, maxAttempts, backoff, timeoutMs, delivery } = task;
  const asked = "at" in task.due ? Math.round(task.due.at) : now + Math.round(task.due.delayMs);
  const waitUntil = task.maxWaitMs === undefined ? null : now + Math.round(task.maxWaitMs);
  const dueAt = Math.min(Math.max(now, asked), waitUntil ?? Infinity);
  const startDeadlineAt = startDeadlineMs === null ? null : dueAt + Math.round(startDeadlineMs);
  return {
    ...UNTOUCHED,
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
    waitUntil,
    createdAt: now,
    maxAttempts,
    given: bitsOf(task),
    priority,
    backoff,
    timeoutMs,
    delivery,
    createdBy: task.actor,
    continues: task.continues ?? null,
    tags: task.tags ?? [],
    laterMs: task.laterMs ?? [],
    batchId: task.batchId ?? null,
    shard: task.shard ?? null,
  };
}

/**
 * The row of a holder whose key was freed.
 *
 * @param freed `replacedBy`: the actor who replaces the holder; null: the holder goes on without its key, and
 *   `continuedBy` takes it
 */
export function freedTask(
  holder: Task,
  { replacedBy: by, continuedBy, now }: { replacedBy: string | null; continuedBy: string | null; now: EpochMs },
): Task {
  if (by === null) return { ...holder, keyLive: false, continuedBy };
  if (holder.cancelRequestedAt !== null) return { ...holder, keyLive: false };
  const asked = { keyLive: false, reason: "REPLACED" as const, cancelledBy: by, version: holder.version + 1 };
  return isWaitingState(holder.state)
    ? { ...holder, ...asked, state: "cancelled", finishedAt: now }
    : { ...holder, ...asked, cancelRequestedAt: now };
}
