import type { MaintenanceReply, Retention } from "@tickwheel/core";
import { IDEMPOTENCY_MS } from "./create-statement.js";
import type { StatementScope } from "./statement-scope.js";
import { isTerminal } from "./task-row.js";

const DAY_MS = 86_400_000;

/** Moves finished tasks to history; dead ones stay, so that they are found and retried where they are. */
export function archive({ draft }: StatementScope, limit: number): number {
  const finished = [...draft.tasks.values()]
    .filter((row) => isTerminal(row.state) && row.state !== "dead" && !draft.tasks.isLocked(row.id))
    .slice(0, limit);
  for (const row of finished) {
    draft.tasks.delete(row.id);
    draft.history.set(row.id, row);
  }
  return finished.length;
}

/** Forgets what is past its retention. There are no partitions here, so none is made. */
export function maintain({ draft, now }: StatementScope, retention: Retention): MaintenanceReply {
  const historyFrom = now - retention.historyRetentionDays * DAY_MS;
  const deadFrom = now - retention.deadRetentionDays * DAY_MS;
  const oldHistory = [...draft.history.values()].filter((row) => (row.finishedAt ?? 0) < historyFrom);
  const oldDead = [...draft.tasks.values()].filter((row) => row.state === "dead" && (row.finishedAt ?? 0) < deadFrom);
  for (const row of oldHistory) draft.history.delete(row.id);
  for (const row of oldDead) draft.tasks.delete(row.id);
  for (const row of [...oldHistory, ...oldDead]) draft.journals.delete(row.id);
  for (const [name, row] of [...draft.idempotency.entries()]) {
    if (now - row.at >= IDEMPOTENCY_MS) draft.idempotency.delete(name);
  }
  return { created: [], dropped: [...oldHistory, ...oldDead].map((row) => row.id), hasMore: false };
}
