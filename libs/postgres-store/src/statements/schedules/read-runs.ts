import type { EpochMs, TaskHint } from "@tickwheel/core";
import type { RunKind, ScheduleRun, SkipReason } from "@tickwheel/schedules";
import { HINT_FIELDS, numbers, wholeMs } from "../../sql/sql-fragments.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import { readHint, readInstant, readNumbers, readText } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";
import { RUN_FINISHED_AT, RUN_STATE, STARTED_AT, taskOfRun } from "./schedule-scene.js";

export interface ReadRuns {
  namespace: string;
  id: string;
  limit: number;
  /** Runs before this number. */
  before: number | null;
}

/**
 * A page of a schedule's runs, the newest first; of those that are not concluded the task is asked.
 *
 * Plan: a range of the primary key, backwards; per open run one probe of the primary key of tasks.
 */
export const readRuns: Statement<ReadRuns, ScheduleRun> = {
  name: "read_runs",
  sql: (schema) => `
    SELECT r.kind, r.task_id::text AS task_id, r.has_missed_more, r.ended_at IS NULL AS is_open,
           CASE WHEN r.ended_at IS NULL THEN t.reason ELSE r.reason END AS reason, ${numbers(NUMBERS)} AS numbers
      FROM (
        SELECT k.* FROM ${schema}.schedule_run k JOIN ${schema}.schedule s ON s.id = k.schedule_id
         WHERE k.schedule_id = $2 AND s.namespace = $1 AND k.seq < coalesce($4::bigint, 9223372036854775807)
         ORDER BY k.seq DESC LIMIT $3
      ) r LEFT JOIN LATERAL (${taskOfRun(schema)}) t ON true
     ORDER BY r.seq DESC`,
  values: ({ namespace, id, limit, before }) => [namespace, id, limit, before],
  read: (row): ScheduleRun => {
    const read = readNumbers(row.numbers) as RunNumbers;
    const [seq, at, until, missed, stoodFor, dueAt, startedAt, state, finishedAt] = read;
    const hasMissedMore = row.has_missed_more as boolean;
    if (row.kind === "skip")
      return {
        kind: "skip",
        seq,
        from: at,
        to: until!,
        count: missed,
        hasMore: hasMissedMore,
        reason: row.reason as SkipReason,
      };
    return {
      kind: row.kind as RunKind,
      seq,
      taskId: row.task_id as string,
      at,
      missed,
      hasMissedMore,
      startedAt,
      stoodFor,
      dueAt: dueAt!,
      finishedAt,
      outcome: outcomeOf(state),
      reason: readText(row.reason) as Extract<ScheduleRun, { taskId: string }>["reason"],
    };
  },
};

type RunNumbers = [
  ...[seq: number, at: number, until: number | null, missed: number, stoodFor: number | null, dueAt: number | null],
  ...[startedAt: number | null, state: number | null, finishedAt: number | null],
];

/** Null: it lives. */
function outcomeOf(state: number | null): Extract<ScheduleRun, { taskId: string }>["outcome"] {
  if (state === null) return "gone";
  return state <= STATE.running ? null : stateOf(state);
}

/** In the order of {@link RunNumbers}. */
const NUMBERS = [
  "r.seq",
  wholeMs("r.at"),
  wholeMs("r.until"),
  "r.missed",
  wholeMs("r.stood_for"),
  wholeMs("coalesce(t.due_at, r.due_at)"),
  wholeMs(STARTED_AT),
  RUN_STATE,
  wholeMs(RUN_FINISHED_AT),
];

/**
 * Hints of a schedule's live occurrences, by their instants. Plan: the index of open runs, a probe of a task for each.
 */
export const openOccurrences: Statement<{ namespace: string; id: string }, TaskHint & { at: EpochMs; kind: RunKind }> =
  {
    name: "open_occurrences",
    sql: (schema) => `
    SELECT ${HINT_FIELDS}, r.kind, ${wholeMs("r.at")} AS at
      FROM ${schema}.schedule s
      JOIN ${schema}.schedule_run r ON r.schedule_id = s.id AND r.ended_at IS NULL
      JOIN ${schema}.task t ON t.id = r.task_id
     WHERE s.id = $2 AND s.namespace = $1 AND t.finished_at IS NULL
     ORDER BY r.at, r.seq`,
    values: ({ namespace, id }) => [namespace, id],
    read: (row) => ({ ...readHint(row), at: readInstant(row.at), kind: row.kind as RunKind }),
  };
