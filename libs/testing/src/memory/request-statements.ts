import type {
  CancelReply,
  CancelRequest,
  EditReply,
  EditRequest,
  RetryReply,
  RetryRequest,
  TaskTarget,
} from "@tickwheel/core";
import { keyName } from "./draft.js";
import type { StatementScope } from "./statement-scope.js";
import { cancelledRow, editedRow, retriedRow } from "./row-transitions.js";
import { type TaskRow, taskOf } from "./task-row.js";
import { writeTask } from "./write-task.js";

/** Cancels a scheduled task, or notes the request of a running one. */
export function cancel(scope: StatementScope, request: CancelRequest): CancelReply {
  const before = lockTarget(scope, request.target);
  if (!before) return { outcome: "not_found" };
  const after = cancelledRow(before, { actor: request.actor, reason: "REQUESTED" }, scope.now);
  if (after) {
    const reason = after.state === "running" ? "CANCEL_REQUESTED" : after.reason;
    writeTask(scope, { before, after }, { reason, actor: request.actor });
  }
  return { outcome: cancelOutcome(after ?? before), task: taskOf(after ?? before, scope) };
}

/** Changes a scheduled task. */
export function edit(scope: StatementScope, request: EditRequest): EditReply {
  const before = lockById(scope, request.namespace, request.id);
  if (!before) return { outcome: "not_found" };
  const after = editedRow(before, request.changes, scope.now);
  if (!after) return { outcome: "state_conflict", task: taskOf(before, scope) };
  if ((request.expectedVersion ?? before.version) !== before.version) {
    return { outcome: "version_mismatch", task: taskOf(before, scope) };
  }
  const reason = request.changes.due ? "RESCHEDULED" : "EDITED";
  writeTask(scope, { before, after }, { reason, actor: request.actor });
  return { outcome: "changed", task: taskOf(after, scope) };
}

/** Schedules a terminal task again, from the live table or from history. */
export function retry(scope: StatementScope, request: RetryRequest): RetryReply {
  const before = lockById(scope, request.namespace, request.id);
  if (!before) return { outcome: "not_found" };
  const after = retriedRow(before, scope.now);
  if (!after) return { outcome: "state_conflict", task: taskOf(before, scope) };
  const keyTaken = before.key !== null && scope.draft.keys.lock(keyName(before.typeId, before.key)) !== undefined;
  if (keyTaken) return { outcome: "key_conflict", task: taskOf(before, scope) };
  scope.draft.history.delete(before.id);
  writeTask(scope, { before, after }, { reason: "RETRIED", actor: request.actor });
  return { outcome: "scheduled", task: taskOf(after, scope) };
}

function cancelOutcome(row: TaskRow): "cancelled" | "cancel_requested" | "too_late" {
  if (row.state === "running") return "cancel_requested";
  return row.state === "cancelled" ? "cancelled" : "too_late";
}

function lockTarget(scope: StatementScope, target: TaskTarget): TaskRow | null {
  if ("id" in target) return lockById(scope, target.namespace, target.id);
  for (const type of scope.types.values()) {
    if (type.namespace !== target.namespace || type.type !== target.type) continue;
    const id = scope.draft.keys.lock(keyName(type.id, target.key));
    return id === undefined ? null : lockById(scope, target.namespace, id);
  }
  return null;
}

/** The task, live or finished; foreign namespaces answer as if absent. */
function lockById({ draft }: StatementScope, namespace: string, id: string): TaskRow | null {
  const row = draft.tasks.lock(id) ?? draft.history.lock(id);
  return row?.namespace === namespace ? row : null;
}
