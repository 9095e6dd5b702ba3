import type { JournalEntry, JournalPage, JournalRequest, Task, TaskState, TaskStats } from "@tickwheel/core";
import { isWaitingState, SKIPPED, TASK_STATES } from "@tickwheel/core";
import { pageOf } from "../database/journal.js";
import type { StatementScope } from "../database/statement-scope.js";
import { isTerminal, type TaskRow, taskOf } from "../database/task-row.js";
import { allRows } from "./find-statement.js";

const MINUTE_MS = 60_000;

export function get(scope: StatementScope, namespace: string, id: string): Task | null {
  const row = readById(scope, namespace, id);
  return row ? taskOf(row, scope) : null;
}

/** Those that wait or run. */
export function liveAmong(scope: StatementScope, ids: readonly string[]): string[] {
  return ids.filter((id) => {
    const row = scope.tasks.get(id);
    return row !== undefined && !isTerminal(row.state);
  });
}

/** A page of the task's transitions, oldest first. */
export function journal(scope: StatementScope, request: JournalRequest): JournalPage | null {
  if (!readById(scope, request.namespace, request.id)) return null;
  return pageOf(scope.journals.get(request.id), request);
}

export function stats(scope: StatementScope, namespace: string): TaskStats {
  const rows = allRows(scope).filter((row) => row.namespace === namespace);
  const due = rows.filter((row) => row.state === "scheduled" && row.dueAt <= scope.now).map((row) => row.dueAt);
  const counts = Object.fromEntries(TASK_STATES.map((state) => [state, 0])) as Record<TaskState, number>;
  for (const row of rows) counts[row.state]++;
  return {
    counts,
    countedAt: scope.now,
    overdue: due.length,
    oldestOverdueMs: due.length === 0 ? null : scope.now - Math.min(...due),
    lastMinute: { ...lastMinute(rows, scope.now - MINUTE_MS), failed: failedSince(scope, rows) },
  };
}

/** Attempts that failed in the last minute, as the journal has them. */
function failedSince(scope: StatementScope, rows: readonly TaskRow[]): number {
  const entries = rows.flatMap(({ id }) => scope.journals.get(id)?.entries ?? []);
  const isFailure = ({ from, to, reason }: JournalEntry): boolean =>
    from === "running" && (to === "dead" || (to === "scheduled" && reason === "FAILED"));
  return entries.filter((entry) => entry.at > scope.now - MINUTE_MS && isFailure(entry)).length;
}

function lastMinute(rows: readonly TaskRow[], since: number): Omit<TaskStats["lastMinute"], "failed"> {
  const finished = rows.filter((row) => (row.finishedAt ?? 0) > since);
  const started = rows.filter((row) => !isWaitingState(row.state) && (row.startedAt ?? 0) > since);
  return {
    created: rows.filter((row) => row.createdAt > since).length,
    started: started.length,
    succeeded: finished.filter((row) => row.state === "succeeded").length,
    skipped: finished.filter((row) => row.reason === SKIPPED).length,
    latenessMs: spread(started.filter((row) => isTerminal(row.state)).map(latenessMs)),
  };
}

function latenessMs(row: TaskRow): number {
  return Math.max(0, row.startedAt! - Math.max(row.dueAt, row.createdAt));
}

function spread(values: number[]): { p50: number; p99: number; max: number } | null {
  if (values.length === 0) return null;
  const sorted = values.sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

function readById(scope: StatementScope, namespace: string, id: string): TaskRow | null {
  const row = scope.tasks.get(id) ?? scope.history.get(id);
  return row?.namespace === namespace ? row : null;
}
