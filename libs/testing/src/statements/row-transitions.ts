import {
  bitsOf,
  type BootId,
  type CancelReason,
  type Deferral,
  type Due,
  type EditRequest,
  type EpochMs,
  type ExecutionRef,
  GIVEN,
  givenIn,
  handlerDelivery,
  isOccurrence,
  isWaiting,
  isWaitingState,
  type JsonText,
  LEASE_ENDED,
  type NewTask,
  printOf,
  type Release,
  type Settlement,
  SKIPPED,
  type TaskType,
  traceOf,
  withTrace,
} from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";
import { isTerminal, type TaskRow } from "../database/task-row.js";

/**
 * Every transition of a task's life as a pure function: it takes the row before and the store's now, and returns the
 * row after, or null if the guard refuses. Nothing else in the memory store changes a row.
 */

/** The wait after the second crash, and the longest wait after a crash, in milliseconds. */
const CRASH_BACKOFF_MS = 1_000;
const MAX_CRASH_BACKOFF_MS = 60_000;
/** A task that was killed this often in a blocked loop ends dead, however many crashes are left. */
const MAX_BLOCKED_KILLS = 2;

/** A due time by the store's clock, in whole milliseconds. An instant in the past means now. */
export function resolveDue(due: Due, now: EpochMs): EpochMs {
  const at = "at" in due ? due.at : now + due.delayMs;
  return Math.max(now, Math.round(at));
}

export function createdRow(task: NewTask, type: TaskType, now: EpochMs): TaskRow {
  const waitUntil = capOf(task, now);
  const dueAt = Math.min(resolveDue(task.due, now), waitUntil ?? Infinity);
  return {
    id: task.id,
    typeId: type.id,
    namespace: type.namespace,
    type: type.type,
    key: task.key,
    keyLive: task.key !== null,
    payload: task.payload,
    state: "scheduled",
    reason: null,
    scheduledAt: dueAt,
    dueAt,
    startDeadlineAt: task.startDeadlineMs === null ? null : dueAt + Math.round(task.startDeadlineMs),
    waitUntil,
    pausedAt: null,
    pausedMs: 0,
    createdAt: now,
    claimedAt: null,
    startedAt: null,
    latenessParts: null,
    finishedAt: null,
    attempt: 0,
    maxAttempts: task.maxAttempts,
    crashCount: 0,
    snoozeCount: 0,
    priority: task.priority,
    version: 1,
    fence: 0,
    owner: null,
    backoff: copyOf(task.backoff),
    timeoutMs: task.timeoutMs,
    given: bitsOf(task),
    delivery: copyOf(task.delivery),
    cancelRequestedAt: null,
    result: null,
    lastError: null,
    errorPrint: null,
    createdBy: task.actor,
    cancelledBy: null,
    continues: null,
    continuedBy: null,
    tags: [...(task.tags ?? [])],
    laterMs: [...(task.laterMs ?? [])],
    batchId: null,
    shard: null,
  };
}

/**
 * Until when a cycle that was created then, times that it was paused apart, may be put off, as this task asks; null:
 * for ever.
 */
function capOf({ maxWaitMs }: NewTask, from: EpochMs): EpochMs | null {
  return maxWaitMs === undefined ? null : from + Math.round(maxWaitMs);
}

/** The guard of [never-early] and [one-order]; that the owner's node row is live is the statement's part. */
export function claimedRow(row: TaskRow, claim: { owner: BootId; claimAheadMs: number }, now: EpochMs): TaskRow | null {
  if (row.state !== "scheduled" || row.dueAt > now + claim.claimAheadMs || isTooLateToStart(row, now)) return null;
  return {
    ...row,
    state: "running",
    owner: claim.owner,
    fence: row.fence + 1,
    attempt: row.attempt + 1,
    claimedAt: now,
  };
}

/** Null: the task is not scheduled, or it may still start. */
export function expiredRow(row: TaskRow, now: EpochMs): TaskRow | null {
  if (row.state !== "scheduled" || !isTooLateToStart(row, now)) return null;
  return finished({ ...row, state: "expired", version: row.version + 1 }, now);
}

function isTooLateToStart({ startedAt, startDeadlineAt }: TaskRow, now: EpochMs): boolean {
  return startedAt === null && startDeadlineAt !== null && startDeadlineAt < now;
}

/** The guard of every statement about an execution [stale-silence]. */
export function isExecution(row: TaskRow | undefined, ref: ExecutionRef): row is TaskRow {
  return row !== undefined && row.state === "running" && row.owner === ref.owner && row.fence === ref.fence;
}

/** The row after an execution ended by itself. {@link isExecution} must have accepted it. */
export function settledRow(row: TaskRow, settlement: Settlement, now: EpochMs): TaskRow {
  const ran = { ...row, startedAt: settlement.startedAt, latenessParts: copyOf(settlement.latenessParts ?? null) };
  if (settlement.kind === "succeeded") {
    const result = settlement.result as JsonText | null;
    return finished({ ...ran, state: "succeeded", reason: null, result }, now);
  }
  if (settlement.kind === "skipped")
    return finished({ ...ran, state: "succeeded", reason: SKIPPED, result: null }, now);
  if (settlement.kind === "snoozed") return snoozedRow(ran, settlement.delayMs, now);
  const isGiven = (row.given & GIVEN.maxAttempts) !== 0;
  const maxAttempts = isGiven ? row.maxAttempts : (settlement.maxAttempts ?? row.maxAttempts);
  const failed = { ...ran, ...errorOf(settlement.error), maxAttempts };
  if (row.cancelRequestedAt !== null) return stoppedRow(failed, now);
  if (settlement.kind === "dead") return finished({ ...failed, state: "dead", reason: settlement.reason }, now);
  if (row.attempt >= maxAttempts) return finished({ ...failed, state: "dead", reason: "ATTEMPTS" }, now);
  return rescheduledExecution(failed, now + Math.max(0, Math.round(settlement.delayMs)));
}

/** An error with its print. */
function errorOf(error: string): Pick<TaskRow, "lastError" | "errorPrint"> {
  return { lastError: error, errorPrint: printOf(error).print };
}

function snoozedRow(row: TaskRow, delayMs: number, now: EpochMs): TaskRow {
  if (row.cancelRequestedAt !== null) return stoppedRow(row, now);
  const uncharged = { ...row, attempt: row.attempt - 1, snoozeCount: row.snoozeCount + 1 };
  return rescheduledExecution(uncharged, now + Math.max(0, Math.round(delayMs)));
}

/** The row of a task that was given back without charging the attempt. */
export function releasedRow(
  row: TaskRow,
  release: Pick<Release, "startedAt" | "latenessParts">,
  now: EpochMs,
): TaskRow {
  const { startedAt, latenessParts = null } = release;
  const ran = startedAt === undefined ? row : { ...row, startedAt, latenessParts: copyOf(latenessParts) };
  if (row.cancelRequestedAt !== null) return stoppedRow(ran, now);
  return rescheduledExecution({ ...ran, attempt: row.attempt - 1 }, now);
}

export function deferredRow(row: TaskRow, deferral: Deferral, now: EpochMs): TaskRow {
  if (row.cancelRequestedAt !== null) return stoppedRow(row, now);
  return rescheduledExecution({ ...row, attempt: row.attempt - 1 }, now + Math.max(0, Math.round(deferral.delayMs)));
}

/** The row of a pulled task whose lease is over: the attempt counts. */
export function leaseEndedRow(row: TaskRow, consumer: string, now: EpochMs): TaskRow {
  const ran = { ...row, startedAt: row.claimedAt, latenessParts: null, ...errorOf(`${LEASE_ENDED}: ${consumer}`) };
  if (row.cancelRequestedAt !== null) return stoppedRow(ran, now);
  if (row.attempt >= row.maxAttempts) return finished({ ...ran, state: "dead", reason: "ATTEMPTS" }, now);
  return rescheduledExecution(ran, now);
}

/** How a task's node died. */
export interface NodeDeath {
  maxCrashes: number;
  /** Null: its last beat told of no blocked loop. */
  blocked: { kills: number; waitMs: number } | null;
  /** Where and when its nodes died, for a task that ends dead. */
  error: string;
}

export function reapedRow(row: TaskRow, { maxCrashes, blocked, error }: NodeDeath, now: EpochMs): TaskRow {
  const crashCount = row.crashCount + 1;
  const crashed = { ...row, crashCount, startedAt: row.claimedAt, latenessParts: null };
  if (row.cancelRequestedAt !== null) return stoppedRow(crashed, now);
  const uncharged = { ...crashed, attempt: row.attempt - 1 };
  if (crashCount >= maxCrashes || (blocked?.kills ?? 0) >= MAX_BLOCKED_KILLS)
    return finished({ ...uncharged, state: "dead", reason: "CRASHES", ...errorOf(error) }, now);
  return rescheduledExecution(uncharged, now + crashBackoffMs(crashCount) + (blocked?.waitMs ?? 0));
}

/** The first crash costs no wait, the second 1 s, each further one twice as much, 60 s at most. */
export function crashBackoffMs(crashCount: number): number {
  if (crashCount < 2) return 0;
  return Math.min(CRASH_BACKOFF_MS * 2 ** (crashCount - 2), MAX_CRASH_BACKOFF_MS);
}

/**
 * A task that waits ends; a running one notes the request. Null: the task is terminal, or the request was noted before.
 */
export function cancelledRow(
  row: TaskRow,
  cancel: { actor: string; reason: CancelReason },
  now: EpochMs,
): TaskRow | null {
  if (isTerminal(row.state) || row.cancelRequestedAt !== null) return null;
  const asked = { ...row, version: row.version + 1, cancelledBy: cancel.actor };
  if (row.state === "running") return { ...asked, cancelRequestedAt: now, reason: keptReason(cancel.reason) };
  return finished({ ...asked, state: "cancelled", reason: cancel.reason }, now);
}

/** Null: the task is not scheduled, or an occurrence, whose schedule decides about its time. */
export function pausedRow(row: TaskRow, now: EpochMs): TaskRow | null {
  if (row.state !== "scheduled" || isOccurrence(row)) return null;
  return { ...row, state: "paused", pausedAt: now, version: row.version + 1 };
}

/**
 * Due after what remained of its countdown. A task that has started already keeps its scheduled time and start
 * deadline. Null: the task is not paused.
 */
export function resumedRow(paused: TaskRow, now: EpochMs): TaskRow | null {
  if (paused.state !== "paused") return null;
  const row = rowAtNow(paused, now);
  const { scheduledAt, startDeadlineAt } = paused.startedAt === null ? row : paused;
  const dueAt = Math.max(now, row.dueAt);
  return { ...row, state: "scheduled", dueAt, scheduledAt, startDeadlineAt, pausedAt: null, version: row.version + 1 };
}

/** A paused task as if it was resumed and paused again just now. Any other is as it was. */
function rowAtNow(row: TaskRow, now: EpochMs): TaskRow {
  if (row.pausedAt === null) return row;
  const pausedMs = now - row.pausedAt;
  return {
    ...row,
    dueAt: row.dueAt + pausedMs,
    scheduledAt: row.scheduledAt + pausedMs,
    startDeadlineAt: row.startDeadlineAt === null ? null : row.startDeadlineAt + pausedMs,
    waitUntil: row.waitUntil === null ? null : row.waitUntil + pausedMs,
    pausedAt: now,
    pausedMs: row.pausedMs + pausedMs,
  };
}

/**
 * A new due time moves the start deadline by as much. Without a new due time, an overdue task becomes due now. A paused
 * task stays paused. Null: the task does not wait.
 */
export function editedRow(
  before: TaskRow,
  { changes, isForScheduledOnly = false }: Pick<EditRequest, "changes" | "isForScheduledOnly">,
  now: EpochMs,
): TaskRow | null {
  if (!isWaitingState(before.state) || (isForScheduledOnly && before.state === "paused")) return null;
  const row = rowAtNow(before, now);
  const dueAt = changes.due ? resolveDue(changes.due, now) : null;
  const scheduledAt = dueAt ?? row.scheduledAt;
  return {
    ...row,
    version: row.version + 1,
    scheduledAt,
    dueAt: dueAt ?? Math.max(now, row.dueAt),
    startDeadlineAt: row.startDeadlineAt === null ? null : row.startDeadlineAt + scheduledAt - row.scheduledAt,
    ...(changes.payload === undefined ? {} : editedPayload(row, changes.payload, changes.payloadVersion)),
    priority: changes.priority ?? row.priority,
    maxAttempts: changes.maxAttempts ?? row.maxAttempts,
    given: row.given | givenIn({ maxAttempts: changes.maxAttempts }),
  };
}

/** Where a webhook goes stays, and the trace; of a handler's task the version is the new payload's. */
function editedPayload(row: TaskRow, payload: JsonText, version: number | null | undefined): Partial<TaskRow> {
  const delivery = row.delivery?.kind === "webhook" ? row.delivery : withTrace(handlerDelivery(version), traceOf(row));
  return { payload, delivery };
}

/** Refreshed by a task that may stand for several. Null: it does not wait, or has started. */
export function refreshedRow(before: TaskRow, task: NewTask, now: EpochMs): TaskRow | null {
  if (!isWaiting(before)) return null;
  const row = rowAtNow(before, now);
  const { earliestAt = null, leastDelayMs = null } = task.folded ?? {};
  const asked: Due[] = [task.due];
  if (earliestAt !== null) asked.push({ at: earliestAt });
  if (leastDelayMs !== null) asked.push({ delayMs: leastDelayMs });
  return movedRow(row, { asked, last: task.due, waitUntil: capOf(task, row.createdAt + row.pausedMs) }, now);
}

/** Merged with tasks, the last of which decides when it is due. It waits and has not started. */
export function mergedRow(
  before: TaskRow,
  { payload, tasks }: { payload: JsonText; tasks: readonly NewTask[] },
  now: EpochMs,
): TaskRow {
  const row = rowAtNow(before, now);
  const asked = tasks.map(({ due }) => due);
  const waitUntil = tasks.map((task) => capOf(task, row.createdAt + row.pausedMs)).reduce(least, null);
  return { ...movedRow(row, { asked, last: asked.at(-1)!, waitUntil }, now), payload };
}

interface Move {
  /** All due times that were asked for. */
  asked: readonly Due[];
  last: Due;
  waitUntil: EpochMs | null;
}

/** Moves the due time of a task that waits, never beyond its cap. A task that is due stays due. */
function movedRow(row: TaskRow, move: Move, now: EpochMs): TaskRow {
  const waitUntil = least(row.waitUntil, move.waitUntil);
  const moved = { ...row, waitUntil, version: row.version + 1 };
  if (row.dueAt <= now) return moved;
  const isDueNow = move.asked.some((due) => resolveDue(due, now) <= now);
  const dueAt = isDueNow ? now : Math.max(now, Math.min(resolveDue(move.last, now), waitUntil ?? Infinity));
  const startDeadlineAt = row.startDeadlineAt === null ? null : row.startDeadlineAt + dueAt - row.scheduledAt;
  return { ...moved, dueAt, scheduledAt: dueAt, startDeadlineAt };
}

function least(one: EpochMs | null, other: EpochMs | null): EpochMs | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Scheduled again with a clean account. Null: it is not terminal. That its key is free is the statement's part. */
export function retriedRow(row: TaskRow, now: EpochMs): TaskRow | null {
  if (!isTerminal(row.state)) return null;
  return {
    ...row,
    state: "scheduled",
    reason: null,
    dueAt: now,
    startDeadlineAt: null,
    pausedAt: null,
    pausedMs: 0,
    keyLive: row.key !== null,
    fence: row.fence + 1,
    version: row.version + 1,
    attempt: 0,
    crashCount: 0,
    snoozeCount: 0,
    owner: null,
    claimedAt: null,
    startedAt: null,
    latenessParts: null,
    finishedAt: null,
    cancelRequestedAt: null,
    cancelledBy: null,
    result: null,
    lastError: null,
    errorPrint: null,
  };
}

/** A row that gives up its key. @param continuedBy the next cycle that takes it from a task that has started */
export function keylessRow(row: TaskRow, continuedBy: string | null = row.continuedBy): TaskRow {
  return { ...row, keyLive: false, continuedBy };
}

/** A running row keeps any reason but `REQUESTED`, because it ends with it. */
function keptReason(reason: CancelReason): CancelReason | null {
  return reason === "REQUESTED" ? null : reason;
}

/** The row after an execution stopped because somebody had asked to cancel its task. */
function stoppedRow(row: TaskRow, now: EpochMs): TaskRow {
  return finished({ ...row, state: "cancelled", reason: row.reason ?? "REQUESTED" }, now);
}

function finished(row: TaskRow, now: EpochMs): TaskRow {
  return { ...row, keyLive: false, finishedAt: now };
}

function rescheduledExecution(row: TaskRow, dueAt: EpochMs): TaskRow {
  return { ...row, state: "scheduled", fence: row.fence + 1, owner: null, dueAt };
}
