import type { EpochMs, TaskState } from "@tickwheel/core";
import { type RunKind, RUNS_KEPT } from "@tickwheel/schedules";
import { plainArray } from "../../sql/plain-array.js";
import { arrayRows, instant } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import type { Statement } from "../../connection/session.js";

/** A run to be added. Of a stretch of skipped instants, `until` and `endedAt` are not null. */
export interface NewRun {
  scheduleId: string;
  seq: number;
  kind: RunKind | "skip";
  at: EpochMs;
  until: EpochMs | null;
  missed: number;
  hasMissedMore: boolean;
  taskId: string | null;
  dueAt: EpochMs | null;
  reason: string | null;
  endedAt: EpochMs | null;
}

/** Adds runs of schedules that this transaction has locked. */
export const addRuns: Statement<{ runs: readonly NewRun[] }, never> = {
  name: "add_runs",
  sql: (schema) => `
    INSERT INTO ${schema}.schedule_run (schedule_id, seq, kind, at, until, missed, has_missed_more, task_id, due_at, reason, ended_at)
    SELECT r.schedule_id, r.seq, r.kind, ${instant("r.at_ms")}, ${instant("r.until_ms")}, r.missed, r.more, r.task_id,
           ${instant("r.due_ms")}, r.reason, ${instant("r.ended_ms")}
      FROM ${arrayRows(
        [
          ...["$1::uuid[]", "$2::bigint[]", "$3::text[]", "$4::float8[]", "$5::float8[]", "$6::integer[]"],
          ...["$7::boolean[]", "$8::uuid[]", "$9::float8[]", "$10::text[]", "$11::float8[]"],
        ],
        "schedule_id, seq, kind, at_ms, until_ms, missed, more, task_id, due_ms, reason, ended_ms",
      )}`,
  values: ({ runs }) => [
    plainArray(runs, ({ scheduleId }) => scheduleId),
    plainArray(runs, ({ seq }) => seq),
    plainArray(runs, ({ kind }) => kind),
    plainArray(runs, ({ at }) => at),
    plainArray(runs, ({ until }) => until),
    plainArray(runs, ({ missed }) => missed),
    runs.map(({ hasMissedMore }) => hasMissedMore),
    plainArray(runs, ({ taskId }) => taskId),
    plainArray(runs, ({ dueAt }) => dueAt),
    plainArray(runs, ({ reason }) => reason),
    plainArray(runs, ({ endedAt }) => endedAt),
  ],
  read: (row) => row as never,
};

/** How a run ended, or, of one that lives, only what it stood in for. */
export interface ConcludedRun {
  scheduleId: string;
  seq: number;
  stoodFor: EpochMs | null;
  missed: number;
  hasMissedMore: boolean;
  /** Null: it lives, or nobody knows how it ended. */
  state: TaskState | null;
  reason: string | null;
  dueAt: EpochMs;
  startedAt: EpochMs | null;
  attempt: number;
  maxAttempts: number;
  /** Null: it lives. */
  endedAt: EpochMs | null;
}

/**
 * Writes the ends of runs. What stood there of an earlier decision stays. Plan: one probe of the primary key per run.
 */
export const concludeRuns: Statement<{ runs: readonly ConcludedRun[] }, never> = {
  name: "conclude_runs",
  sql: (schema) => `
    UPDATE ${schema}.schedule_run k
       SET stood_for = coalesce(${instant("r.stood_ms")}, k.stood_for), missed = r.missed, has_missed_more = r.more, state = r.state,
           reason = r.reason, due_at = ${instant("r.due_ms")}, started_at = coalesce(k.started_at, ${instant("r.started_ms")}),
           attempt = r.attempt, max_attempts = r.max_attempts, ended_at = ${instant("r.ended_ms")}
      FROM ${arrayRows(
        [
          ...["$1::uuid[]", "$2::bigint[]", "$3::float8[]", "$4::integer[]", "$5::boolean[]", "$6::smallint[]"],
          ...["$7::text[]", "$8::float8[]", "$9::float8[]", "$10::integer[]", "$11::integer[]", "$12::float8[]"],
        ],
        "schedule_id, seq, stood_ms, missed, more, state, reason, due_ms, started_ms, attempt, max_attempts, ended_ms",
      )}
     WHERE k.schedule_id = r.schedule_id AND k.seq = r.seq`,
  values: ({ runs }) => [
    plainArray(runs, ({ scheduleId }) => scheduleId),
    plainArray(runs, ({ seq }) => seq),
    plainArray(runs, ({ stoodFor }) => stoodFor),
    plainArray(runs, ({ missed }) => missed),
    runs.map(({ hasMissedMore }) => hasMissedMore),
    plainArray(runs, ({ state }) => (state === null ? null : STATE[state])),
    plainArray(runs, ({ reason }) => reason),
    plainArray(runs, ({ dueAt }) => dueAt),
    plainArray(runs, ({ startedAt }) => startedAt),
    plainArray(runs, ({ attempt }) => attempt),
    plainArray(runs, ({ maxAttempts }) => maxAttempts),
    plainArray(runs, ({ endedAt }) => endedAt),
  ],
  read: (row) => row as never,
};

/** Deletes the runs of occurrences that were withdrawn: their instants are open again. Plan: one probe per task. */
export const dropRuns: Statement<{ taskIds: readonly string[] }, never> = {
  name: "drop_runs",
  sql: (schema) => `DELETE FROM ${schema}.schedule_run k WHERE k.task_id = ANY ($1::uuid[])`,
  values: ({ taskIds }) => [taskIds],
  read: (row) => row as never,
};

/**
 * Deletes the runs of schedules behind the newest ones, but for those that are not concluded.
 *
 * Plan: per schedule a range of the primary key from its beginning: what is deleted, and what is open.
 */
export const trimRuns: Statement<{ schedules: readonly { id: string; lastSeq: number }[] }, never> = {
  name: "trim_runs",
  sql: (schema) => `
    DELETE FROM ${schema}.schedule_run k USING ${arrayRows(["$1::uuid[]", "$2::bigint[]"], "schedule_id, last_seq")}
     WHERE k.schedule_id = r.schedule_id AND k.seq <= r.last_seq - ${RUNS_KEPT} AND k.ended_at IS NOT NULL`,
  values: ({ schedules }) => [plainArray(schedules, ({ id }) => id), plainArray(schedules, ({ lastSeq }) => lastSeq)],
  read: (row) => row as never,
};
