import type { EpochMs } from "@tickwheel/core";
import {
  type ChangeOptions,
  type OccurrenceTask,
  RUNS_KEPT,
  type ScheduleRun,
  type ScheduleScene,
} from "@tickwheel/schedules";
import type { OccurrenceRow, ScheduleRunRow } from "../database/schedule-run-row.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { ScheduleRow } from "../database/tables.js";
import type { TaskRow } from "../database/task-row.js";
import { copyOf } from "../system/copy-of.js";

/** What a decision about a schedule sees. The transaction holds its row. */
export function sceneOf(
  scope: StatementScope,
  { schedule, lastSeq }: ScheduleRow,
  { withPast = false }: ChangeOptions = {},
): ScheduleScene {
  const runs = runsOf(scope, schedule.id).filter(isOccurrence);
  const open = runs.filter(({ endedAt }) => endedAt === null).map((run) => occurrenceNow(scope, run));
  const concluded = runs.filter(({ endedAt, kind }) => endedAt !== null && kind !== "backfill");
  const [last] = concluded.sort((one, other) => other.endedAt! - one.endedAt! || other.seq - one.seq);
  return copyOf({
    schedule,
    now: scope.now,
    open: open.sort((one, other) => one.at - other.at),
    last: last?.occurrence ?? null,
    ...(withPast ? { past: { runs: pastOf(scope, schedule.id), areAll: lastSeq <= RUNS_KEPT } } : {}),
  });
}

function pastOf(scope: StatementScope, scheduleId: string): ScheduleRun[] {
  return runsOf(scope, scheduleId)
    .map((row) => runOf(scope, row))
    .reverse();
}

/** A schedule's runs in the order in which they were written. */
export function runsOf({ scheduleRuns }: StatementScope, scheduleId: string): ScheduleRunRow[] {
  const runs = scheduleRuns.values().filter((run) => run.scheduleId === scheduleId);
  return runs.sort((one, other) => one.seq - other.seq);
}

export function isOccurrence(run: ScheduleRunRow): run is OccurrenceRow {
  return run.kind !== "skip";
}

/** An occurrence with its task as it is now; a concluded one as it ended. */
export function occurrenceNow(scope: StatementScope, { occurrence, endedAt }: OccurrenceRow): OccurrenceTask {
  if (endedAt !== null) return occurrence;
  const task = scope.tasks.get(occurrence.taskId) ?? scope.history.get(occurrence.taskId);
  if (!task) return { ...occurrence, state: "gone" };
  const { state, reason, dueAt, attempt, maxAttempts, finishedAt } = task;
  const startedAt = occurrence.startedAt ?? startOf(task);
  const isWaiting = state === "scheduled" && task.startedAt !== null;
  return {
    ...occurrence,
    state,
    reason,
    dueAt,
    attempt,
    maxAttempts,
    finishedAt,
    startedAt,
    attemptEndedAt: isWaiting ? lastWayBack(scope, task.id) : null,
    isCancelRequested: task.cancelRequestedAt !== null,
  };
}

/** The start of an execution that no node has noted. */
function startOf({ state, startedAt, claimedAt }: TaskRow): EpochMs | null {
  return startedAt ?? (state === "running" ? claimedAt : null);
}

function lastWayBack({ journals }: StatementScope, id: string): EpochMs | null {
  const entries = journals.get(id)?.entries ?? [];
  return entries.findLast(({ from, to }) => from === "running" && to === "scheduled")?.at ?? null;
}

/** A line of the list of runs. */
export function runOf(scope: StatementScope, row: ScheduleRunRow): ScheduleRun {
  if (!isOccurrence(row)) return { kind: "skip", seq: row.seq, ...row.skipped };
  const { taskId, kind, at, missed, hasMissedMore, startedAt, state, reason, dueAt, finishedAt } = occurrenceNow(
    scope,
    row,
  );
  const isLive = state === "scheduled" || state === "running";
  return {
    kind,
    seq: row.seq,
    taskId,
    at,
    missed,
    hasMissedMore,
    startedAt,
    stoodFor: row.stoodFor,
    dueAt,
    outcome: isLive ? null : state,
    reason,
    finishedAt,
  };
}
