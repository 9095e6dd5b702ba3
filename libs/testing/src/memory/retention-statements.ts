import type { MaintenanceReply, Retention } from "@tickwheel/core";
import { IDEMPOTENCY_MS } from "./create-statement.js";
import type { StatementScope } from "./statement-scope.js";
import { isTerminal, type TaskRow } from "./task-row.js";

const DAY_MS = 86_400_000;

/** Moves finished tasks to history; dead ones stay, so that they are found and retried where they are. Locked ones are left. */
export async function archive(scope: StatementScope, limit: number): Promise<number> {
  const isFinished = ({ state }: TaskRow): boolean => isTerminal(state) && state !== "dead";
  const finished: TaskRow[] = [];
  for (const { id } of scope.tasks.values()) {
    if (finished.length === limit) break;
    const row = await scope.tasks.lock(id, isFinished, { locked: "skip" });
    if (row) finished.push(row);
  }
  for (const row of finished) {
    await scope.tasks.delete(row.id);
    scope.history.put(row.id, row);
  }
  return finished.length;
}

/** Forgets what is past its retention. There are no partitions here, so none is made. */
export async function maintain(scope: StatementScope, retention: Retention): Promise<MaintenanceReply> {
  const { now } = scope;
  const historyFrom = now - retention.historyRetentionDays * DAY_MS;
  const deadFrom = now - retention.deadRetentionDays * DAY_MS;
  const dropped: string[] = [];
  for (const { id } of scope.history.values()) {
    const old = await scope.history.lock(id, ({ finishedAt }) => (finishedAt ?? 0) < historyFrom, { locked: "skip" });
    if (!old) continue;
    await scope.history.delete(id);
    dropped.push(id);
  }
  for (const { id } of scope.tasks.values()) {
    const isOld = (row: TaskRow): boolean => row.state === "dead" && (row.finishedAt ?? 0) < deadFrom;
    if (!(await scope.tasks.lock(id, isOld, { locked: "skip" }))) continue;
    await scope.tasks.delete(id);
    dropped.push(id);
  }
  for (const id of dropped) scope.journals.put(id, undefined);
  for (const [name] of scope.idempotency.entries()) {
    const isOld = ({ at }: { at: number }): boolean => now - at >= IDEMPOTENCY_MS;
    if (await scope.idempotency.lock(name, isOld, { locked: "skip" })) scope.idempotency.put(name, undefined);
  }
  return { created: [], dropped, hasMore: false };
}
