import type { ExecutionRef, QuarantineReply, QuarantineState } from "@tickwheel/core";
import type { CallSession } from "../database/memory-connection.js";
import { isExecution } from "./row-transitions.js";
import type { StatementScope } from "../database/statement-scope.js";
import { ONLY_ROW } from "../database/tables.js";
import type { TaskRow } from "../database/task-row.js";

export function suspectsAmong(scope: StatementScope, ids: readonly string[]): string[] {
  return ids.filter((id) => scope.suspects.get(id) !== undefined);
}

/**
 * Locks first and then looks by a second statement: its snapshot shows the claim of the execution that entered last.
 */
export function enterQuarantine(session: CallSession, ref: ExecutionRef): Promise<QuarantineReply> {
  return session.transaction(null, async (within) => {
    await within.run(({ quarantines }) => quarantines.lock(ONLY_ROW));
    return within.run((scope) => enter(scope, ref));
  });
}

export function quarantine(scope: StatementScope): QuarantineState | null {
  const waiting = scope.suspects.values().filter(({ taskId }) => {
    const row = scope.tasks.get(taskId);
    return row?.state === "scheduled" && row.crashCount > 0;
  }).length;
  if (waiting === 0) return null;
  const row = occupantOf(scope);
  if (row === null) return { waiting, occupant: null };
  const forMs = Math.max(0, scope.now - scope.quarantines.get(ONLY_ROW)!.since);
  return { waiting, occupant: { id: row.id, type: row.type, node: scope.label(row.owner), forMs } };
}

async function enter(scope: StatementScope, { id: taskId, owner, fence }: ExecutionRef): Promise<QuarantineReply> {
  const { now } = scope;
  const occupant = occupantOf(scope);
  const isFree = occupant === null || occupant.id === taskId;
  if (isFree && isExecution(scope.tasks.get(taskId), { id: taskId, owner, fence })) {
    await scope.quarantines.write(ONLY_ROW, { taskId, owner, fence, since: now });
    return { entered: true };
  }
  const since = scope.quarantines.get(ONLY_ROW)?.since ?? now;
  return { entered: false, occupiedForMs: isFree ? 0 : Math.max(0, now - since) };
}

/** The task whose execution is in quarantine and still runs. */
function occupantOf(scope: StatementScope): TaskRow | null {
  const occupied = scope.quarantines.get(ONLY_ROW);
  if (!occupied) return null;
  const row = scope.tasks.get(occupied.taskId);
  return isExecution(row, { id: occupied.taskId, owner: occupied.owner, fence: occupied.fence }) ? row : null;
}
