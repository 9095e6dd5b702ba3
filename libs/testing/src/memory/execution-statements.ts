import type {
  ClaimedTask,
  ClaimReply,
  ClaimRequest,
  Completion,
  Deferral,
  ExecutionRef,
  ExpireRequest,
  ReapedTask,
  ReapRequest,
  Release,
  Settlement,
  SettleReply,
} from "@tickwheel/core";
import { copyOf } from "../copy-of.js";
import type { StatementScope } from "./statement-scope.js";
import {
  claimedRow,
  deferredRow,
  expiredRow,
  isExecution,
  reapedRow,
  releasedRow,
  settledRow,
} from "./row-transitions.js";
import { hintOf, type TaskRow } from "./task-row.js";
import { forgetClaim, type JournalNote, writeTask } from "./write-task.js";

/** Claims what is due, unless the owner's node row is not live. Rows that a transaction has locked are left out. */
export function claim(scope: StatementScope, request: ClaimRequest): ClaimReply {
  if (!scope.cluster.isLive(request.owner)) return { fenced: true, tasks: [] };
  const tasks: ClaimedTask[] = [];
  for (const id of new Set(request.ids)) {
    const before = scope.draft.tasks.isLocked(id) ? undefined : scope.draft.tasks.get(id);
    const after = before && claimedRow(before, request, scope.now);
    if (!after) continue;
    writeTask(scope, { before, after }, {});
    tasks.push(claimedTask(after, request.owner));
  }
  return { fenced: false, tasks };
}

export function verifyStart(scope: StatementScope, refs: readonly ExecutionRef[]): ExecutionRef[] {
  return refs.filter((ref) => {
    const row = scope.draft.tasks.get(ref.id);
    return isExecution(row, ref) && row.cancelRequestedAt === null;
  });
}

export function settle(scope: StatementScope, settlement: Settlement): SettleReply {
  return endExecution(scope, settlement, { next: (row) => settledRow(row, settlement, scope.now), reason: "FAILED" });
}

export function complete(scope: StatementScope, completion: Completion): boolean {
  return settle(scope, { ...completion, kind: "succeeded" }) !== null;
}

export function release(scope: StatementScope, asked: Release): SettleReply {
  return endExecution(scope, asked, { next: (row) => releasedRow(row, asked, scope.now), reason: asked.reason });
}

export function defer(scope: StatementScope, deferral: Deferral): SettleReply {
  const before = scope.draft.tasks.lock(deferral.id);
  if (!isExecution(before, deferral)) return null;
  const after = deferredRow(before, deferral, scope.now);
  if (after.state === "cancelled") {
    writeTask(scope, { before, after }, endNote(after, null));
  } else {
    writeTask(scope, { before, after }, null);
    forgetClaim(scope, after.id);
  }
  return { state: after.state, hint: hintOf(after) };
}

/** Ends what has never started and is past its start deadline. */
export function expire(scope: StatementScope, request: ExpireRequest): number {
  const late = [...scope.draft.tasks.values()]
    .filter((row) => request.typeIds.includes(row.typeId) && expiredRow(row, scope.now) !== null)
    .filter((row) => !scope.draft.tasks.isLocked(row.id))
    .slice(0, request.limit);
  for (const before of late) writeTask(scope, { before, after: expiredRow(before, scope.now)! }, {});
  return late.length;
}

/** Takes running tasks from the owners that the caller has read as dead or gone, while it leads. */
export function reap(scope: StatementScope, request: ReapRequest): ReapedTask[] {
  if (!scope.cluster.isLedBy(request.leader)) return [];
  const owners = new Set(request.owners);
  const orphans = [...scope.draft.tasks.values()]
    .filter((row) => row.state === "running" && owners.has(row.owner ?? "") && !scope.draft.tasks.isLocked(row.id))
    .slice(0, request.limit);
  return orphans.map((before) => {
    const after = reapedRow(before, request.maxCrashes, scope.now);
    writeTask(scope, { before, after }, endNote(after, "CRASHED"));
    return { state: after.state, hint: hintOf(after) };
  });
}

function endExecution(
  scope: StatementScope,
  ref: ExecutionRef,
  end: { next: (row: TaskRow) => TaskRow; reason: string },
): SettleReply {
  const before = scope.draft.tasks.lock(ref.id);
  if (!isExecution(before, ref)) return null;
  const after = end.next(before);
  writeTask(scope, { before, after }, endNote(after, end.reason));
  return { state: after.state, hint: hintOf(after) };
}

/** A terminal row says itself why, a way back to scheduled is told by `otherwise`; who asked for a cancel is its actor. */
function endNote(after: TaskRow, otherwise: string | null): JournalNote {
  return {
    reason: after.reason ?? (after.state === "scheduled" ? otherwise : null),
    actor: after.state === "cancelled" ? after.cancelledBy : null,
  };
}

function claimedTask(row: TaskRow, owner: string): ClaimedTask {
  return copyOf({
    id: row.id,
    owner,
    fence: row.fence,
    typeId: row.typeId,
    key: row.key,
    payload: row.payload,
    scheduledAt: row.scheduledAt,
    dueAt: row.dueAt,
    createdAt: row.createdAt,
    claimedAt: row.claimedAt!,
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    crashCount: row.crashCount,
    priority: row.priority,
    backoff: row.backoff,
    timeoutMs: row.timeoutMs,
    webhook: row.webhook,
  });
}
