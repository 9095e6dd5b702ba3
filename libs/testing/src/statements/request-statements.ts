import {
  type CancelReply,
  type CancelRequest,
  type CancelTogether,
  type EditReply,
  type EditRequest,
  type PauseReply,
  type PauseRequest,
  isOccurrence,
  isWaitingState,
  type RetryReply,
  type RetryRequest,
  type Task,
  type TaskState,
  type TaskTarget,
  TickwheelError,
} from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";
import type { CallSession } from "../database/memory-connection.js";
import { cancelledRow, editedRow, pausedRow, resumedRow, retriedRow } from "./row-transitions.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import { isTerminal, type TaskRow, taskOf } from "../database/task-row.js";
import { finishTask, forgetTask, writeTask } from "./write-task.js";

const MAX_ATTEMPTS = 3;
type Patience = number | null;

/** Cancels a scheduled task, or notes the request on a running one. Otherwise answers why not. */
export function cancel(session: CallSession, request: CancelRequest): Promise<CancelReply> {
  const { target } = request;
  return patiently(session, "id" in target ? target.id : target.key, async (lockTimeoutMs) => {
    const changed = await session.run((scope) => cancelOnce(scope, request), lockTimeoutMs);
    if (changed) return changed;
    return session.run((scope): CancelReply | null => {
      const row = findTarget(scope, target);
      if (!row) return { outcome: "not_found" };
      if (isWaitingState(row.state) || (row.state === "running" && row.cancelRequestedAt === null)) return null;
      return { outcome: cancelOutcome(row), task: taskOf(row, scope) };
    });
  });
}

/** Cancels scheduled tasks. Tasks that a transaction has locked are left out. */
export async function cancelScheduled(
  scope: StatementScope,
  { requests, forgotten = [] }: CancelTogether,
): Promise<(Task | null)[]> {
  const cancelled = new Map<string, Task>();
  const { now } = scope;
  for (const { namespace, id, actor } of requests) {
    const isMeant = (row: TaskRow): boolean => row.namespace === namespace && row.state === "scheduled";
    const before = cancelled.has(id) ? null : await scope.tasks.lock(id, isMeant, { locked: "skip" });
    const after = before && cancelledRow(before, { actor, reason: "REQUESTED" }, now);
    if (!after) continue;
    if (before.batchId === null && forgotten.includes(before.typeId)) await forgetTask(scope, id);
    else await finishTask(scope, { before, after }, { reason: after.reason, actor });
    cancelled.set(id, taskOf(after, scope));
  }
  return requests.map(({ id, namespace }) => {
    const task = cancelled.get(id);
    return task?.namespace === namespace ? copyOf(task) : null;
  });
}

/** Changes a scheduled task. Otherwise answers why not. */
export function edit(session: CallSession, request: EditRequest): Promise<EditReply> {
  return patiently(session, request.id, async (lockTimeoutMs) => {
    const live = await session.run((scope) => editOnce(scope, request), lockTimeoutMs);
    if (live) return live;
    return session.run((scope): EditReply | null => {
      const row = findById(scope, request);
      if (!row) return { outcome: "not_found" };
      return isTerminal(row.state) ? { outcome: "state_conflict", task: taskOf(row, scope) } : null;
    });
  });
}

/** Pauses a scheduled task. Otherwise answers why not. */
export function pause(session: CallSession, request: PauseRequest): Promise<PauseReply> {
  return pauseOrResume(session, request, { change: pausedRow, reason: "PAUSED", state: "paused" });
}

/** Resumes a paused task. Otherwise answers why not. */
export function resume(session: CallSession, request: PauseRequest): Promise<PauseReply> {
  return pauseOrResume(session, request, { change: resumedRow, reason: "RESUMED", state: "scheduled" });
}

/** Schedules a terminal task again, from the live table or from history. Otherwise answers why not. */
export function retry(session: CallSession, request: RetryRequest): Promise<RetryReply> {
  return patiently(session, request.id, async (lockTimeoutMs) => {
    const retried = await orKeyTaken(session.run((scope) => retryOnce(scope, request), lockTimeoutMs));
    if (retried && retried !== "key_taken") return retried;
    return session.run((scope): RetryReply | null => {
      const row = findById(scope, request);
      if (!row) return { outcome: "not_found" };
      const task = taskOf(row, scope);
      if (!isTerminal(row.state)) return { outcome: "state_conflict", task };
      return retried === "key_taken" ? { outcome: "key_conflict", task } : null;
    });
  });
}

interface PauseOrResume {
  change: typeof pausedRow;
  reason: string;
  state: TaskState;
}

function pauseOrResume(session: CallSession, request: PauseRequest, how: PauseOrResume): Promise<PauseReply> {
  const { target } = request;
  return patiently(session, "id" in target ? target.id : target.key, async (lockTimeoutMs) => {
    const live = await session.run((scope) => pauseOrResumeOnce(scope, request, how), lockTimeoutMs);
    if (live) return live;
    return session.run((scope): PauseReply | null => {
      const row = findTarget(scope, target);
      if (!row) return { outcome: "not_found" };
      return isTerminal(row.state) ? { outcome: "state_conflict", task: taskOf(row, scope) } : null;
    });
  });
}

/** Null: the task is not in the live table. */
async function pauseOrResumeOnce(
  scope: StatementScope,
  { target, actor }: PauseRequest,
  { change, reason, state }: PauseOrResume,
): Promise<PauseReply | null> {
  const found = findLiveTarget(scope, target);
  const before = found && (await scope.tasks.lock(found.id, ({ keyLive }) => "id" in target || keyLive));
  if (!before) return null;
  const after = change(before, scope.now);
  if (after) {
    await writeTask(scope, { before, after }, { reason, actor });
    return { outcome: "changed", task: taskOf(after, scope) };
  }
  const task = taskOf(before, scope);
  if (state === "paused" && before.state === "scheduled" && isOccurrence(before))
    return { outcome: "occurrence", task };
  return { outcome: before.state === state ? "unchanged" : "state_conflict", task };
}

/** Tries again if the task changed between a refusal and the look for its reason. */
function patiently<Reply>(
  session: CallSession,
  name: string,
  attempt: (patience: Patience) => Promise<Reply | null>,
): Promise<Reply> {
  return session.patiently(name, async (lockTimeoutMs) => {
    for (let count = 1; count <= MAX_ATTEMPTS; count++) {
      const reply = await attempt(lockTimeoutMs);
      if (reply !== null) return reply;
    }
    throw new TickwheelError("STORE_UNAVAILABLE", "The task changed each time that it was looked at: try again");
  });
}

async function cancelOnce(scope: StatementScope, { target, actor }: CancelRequest): Promise<CancelReply | null> {
  const found = findLiveTarget(scope, target);
  if (!found) return null;
  const cancelled = (row: TaskRow): TaskRow | null => {
    if ("key" in target && !row.keyLive) return null;
    return cancelledRow(row, { actor, reason: "REQUESTED" }, scope.now);
  };
  const before = await scope.tasks.lock(found.id, (row) => cancelled(row) !== null, { mode: "no-key-update" });
  const after = before && cancelled(before);
  if (!after) return null;
  const reason = after.state === "running" ? "CANCEL_REQUESTED" : after.reason;
  await writeTask(scope, { before, after }, { reason, actor });
  return { outcome: cancelOutcome(after), task: taskOf(after, scope) };
}

/** Null: the task is not in the live table. */
async function editOnce(scope: StatementScope, request: EditRequest): Promise<EditReply | null> {
  const before = await scope.tasks.lock(request.id, ({ namespace }) => namespace === request.namespace);
  if (!before) return null;
  const after = editedRow(before, request, scope.now);
  if (!after) return { outcome: "state_conflict", task: taskOf(before, scope) };
  if ((request.expectedVersion ?? before.version) !== before.version) {
    return { outcome: "version_mismatch", task: taskOf(before, scope) };
  }
  const reason = request.changes.due ? "RESCHEDULED" : "EDITED";
  await writeTask(scope, { before, after }, { reason, actor: request.actor });
  return { outcome: "changed", task: taskOf(after, scope) };
}

/** Null: there is no terminal task of this id. @throws StatementFailure `unique-violation`: its key is taken */
async function retryOnce(scope: StatementScope, { namespace, id, actor }: RetryRequest): Promise<RetryReply | null> {
  const isEnded = (row: TaskRow): boolean => row.namespace === namespace && isTerminal(row.state);
  const live = await scope.tasks.lock(id, isEnded);
  const before = live ?? (await scope.history.lock(id, isEnded));
  if (!before) return null;
  if (!live) await scope.history.delete(id);
  const after = retriedRow(before, scope.now)!;
  await writeTask(scope, { before, after }, { reason: "RETRIED", actor });
  return { outcome: "scheduled", task: taskOf(after, scope) };
}

async function orKeyTaken<T>(work: Promise<T>): Promise<T | "key_taken"> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StatementFailure && error.why === "unique-violation") return "key_taken";
    throw error;
  }
}

function cancelOutcome(row: TaskRow): "cancelled" | "cancel_requested" | "too_late" {
  if (row.state === "running") return "cancel_requested";
  return row.state === "cancelled" ? "cancelled" : "too_late";
}

/** The task, live or finished. For a key, it is the task that holds the key. */
function findTarget(scope: StatementScope, target: TaskTarget): TaskRow | null {
  return "id" in target ? findById(scope, target) : findLiveTarget(scope, target);
}

function findLiveTarget(scope: StatementScope, target: TaskTarget): TaskRow | null {
  if ("id" in target) return ofNamespace(scope.tasks.get(target.id), target.namespace);
  const { namespace, type, key } = target;
  for (const row of scope.tasks.values()) {
    if (row.keyLive && row.key === key && row.type === type && row.namespace === namespace) return row;
  }
  return null;
}

function findById(scope: StatementScope, { namespace, id }: { namespace: string; id: string }): TaskRow | null {
  return ofNamespace(scope.tasks.get(id) ?? scope.history.get(id), namespace);
}

/** Null for a task of another namespace, which is treated as absent. */
function ofNamespace(row: TaskRow | undefined, namespace: string): TaskRow | null {
  return row?.namespace === namespace ? row : null;
}
