import type { ForgetReply, ForgetRequest, MaintenanceReply, Retention } from "@tickwheel/core";
import { forgetEffects } from "./effect-statements.js";
import { IDEMPOTENCY_MS } from "./create-statement.js";
import type { StatementScope } from "../database/statement-scope.js";
import { isTerminal, type TaskRow } from "../database/task-row.js";

const DAY_MS = 86_400_000;

/**
 * Moves finished tasks to history. Dead tasks stay, so that they are found and retried where they are. Locked tasks are
 * left for the next time.
 */
export async function archive(scope: StatementScope, limit: number): Promise<number> {
  const finished = await scope.tasks.lockFree(isForHistory, limit);
  for (const row of finished) {
    await scope.tasks.delete(row.id);
    scope.history.put(row.id, row);
  }
  return finished.length;
}

/** Whether `archive` would move it. */
export function isForHistory({ state }: TaskRow): boolean {
  return isTerminal(state) && state !== "dead";
}

/** Deletes old ends of a type, page by page. As in `maintain`, the journal here goes with its task. */
export async function forgetEnded(
  { tasks, history, journals, now }: StatementScope,
  { typeId, state, keptMs, after, limit }: ForgetRequest,
): Promise<ForgetReply> {
  const rows = state === "dead" ? tasks : history;
  const page = [...rows.values()]
    .filter((row) => row.typeId === typeId && row.state === state && (after === null || row.id > after))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit);
  const ids = new Set(page.map(({ id }) => id));
  const isOld = (row: TaskRow): boolean =>
    ids.has(row.id) && row.state === state && row.batchId === null && row.finishedAt! < now - keptMs;
  const old = await rows.lockFree(isOld, limit);
  for (const { id } of old) {
    await rows.delete(id);
    journals.put(id, undefined);
  }
  return { forgotten: old.length, next: page.length < limit ? null : page.at(-1)!.id };
}

/** Forgets rows that are past their retention. There are no partitions in memory, so none is made. */
export async function maintain(scope: StatementScope, retention: Retention): Promise<MaintenanceReply> {
  const { now } = scope;
  const historyFrom = now - retention.historyRetentionDays * DAY_MS;
  const deadFrom = now - retention.deadRetentionDays * DAY_MS;
  const dropped: string[] = [];
  for (const { id } of await scope.history.lockFree(({ finishedAt }) => (finishedAt ?? 0) < historyFrom)) {
    await scope.history.delete(id);
    dropped.push(id);
  }
  const isOldDead = (row: TaskRow): boolean => row.state === "dead" && (row.finishedAt ?? 0) < deadFrom;
  for (const { id } of await scope.tasks.lockFree(isOldDead)) {
    await scope.tasks.delete(id);
    dropped.push(id);
  }
  for (const id of dropped) scope.journals.put(id, undefined);
  for (const { name } of await scope.idempotency.lockFree(({ at }) => now - at >= IDEMPOTENCY_MS)) {
    scope.idempotency.put(name, undefined);
  }
  const suspectsFrom = Math.min(historyFrom, deadFrom);
  for (const { taskId } of await scope.suspects.lockFree(({ killedAt }) => killedAt < suspectsFrom)) {
    await scope.suspects.delete(taskId);
  }
  const nodesFrom = suspectsFrom - DAY_MS;
  for (const { bootId } of await scope.formerNodes.lockFree(({ forgottenAt }) => forgottenAt < nodesFrom)) {
    await scope.formerNodes.delete(bootId);
  }
  await forgetEffects(scope);
  return { created: [], dropped, droppedTypes: dropUnusedTypes(scope, retention), hasMore: false, failed: [] };
}

/** Drops types that were not in use for long. Types in use are noted, and taken up again if they were dropped. */
function dropUnusedTypes(scope: StatementScope, retention: Retention): string[] {
  const { now, tasks, history, types, nodes } = scope;
  const inUse = new Set([...tasks.values(), ...history.values()].map(({ typeId }) => typeId));
  const handled = new Set(nodes.values().flatMap(({ state, typeIds }) => (state === "live" ? typeIds : [])));
  const days = Math.max(retention.typeRetentionDays, retention.historyRetentionDays, retention.deadRetentionDays);
  const unused = types.values().filter((type) => {
    const isKept = inUse.has(type.id) || (type.delivery === "handler" && handled.has(type.id));
    if (isKept) types.put(String(type.id), { ...type, usedAt: now, isDropped: false });
    return !isKept && !type.isDropped && type.usedAt < now - days * DAY_MS;
  });
  for (const type of unused) types.put(String(type.id), { ...type, isDropped: true });
  return unused.map(({ type }) => type);
}
