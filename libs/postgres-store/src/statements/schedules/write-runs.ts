import type { EpochMs, TaskState } from "@tickwheel/core";
import { type RunKind, RUNS_KEPT } from "@tickwheel/schedules";
import { listed, parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows, instant } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import type { Statement } from "../../connection/session.js";

/** A run to be added. For a stretch of skipped instants, `until` and `endedAt` are not null. */
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

const [added, addedValues] = parameters<{ runs: readonly NewRun[] }>()({
  runs: rows(({ runs }: { runs: readonly NewRun[] }) => runs, {
    schedule_id: plain("uuid", ({ scheduleId }) => scheduleId),
    seq: plain("bigint", ({ seq }) => seq),
    kind: plain("text", ({ kind }) => kind),
    at_ms: plain("float8", ({ at }) => at),
    until_ms: plain("float8", ({ until }) => until),
    missed: plain("integer", ({ missed }) => missed),
    more: listed("boolean", ({ hasMissedMore }) => hasMissedMore),
    task_id: plain("uuid", ({ taskId }) => taskId),
    due_ms: plain("float8", ({ dueAt }) => dueAt),
    reason: plain("text", ({ reason }) => reason),
    ended_ms: plain("float8", ({ endedAt }) => endedAt),
  }),
});

/** Adds runs of schedules that this transaction has locked. */
export const addRuns: Statement<{ runs: readonly NewRun[] }, never> = {
  name: "add_runs",
  sql: (schema) => `
    INSERT INTO ${schema}.schedule_run (schedule_id, seq, kind, at, until, missed, has_missed_more, task_id, due_at, reason, ended_at)
    SELECT r.schedule_id, r.seq, r.kind, ${instant("r.at_ms")}, ${instant("r.until_ms")}, r.missed, r.more, r.task_id,
           ${instant("r.due_ms")}, r.reason, ${instant("r.ended_ms")}
      FROM ${arrayRows(added.runs)}`,
  values: addedValues,
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

const [concluded, concludedValues] = parameters<{ runs: readonly ConcludedRun[] }>()({
  runs: rows(({ runs }: { runs: readonly ConcludedRun[] }) => runs, {
    schedule_id: plain("uuid", ({ scheduleId }) => scheduleId),
    seq: plain("bigint", ({ seq }) => seq),
    stood_ms: plain("float8", ({ stoodFor }) => stoodFor),
    missed: plain("integer", ({ missed }) => missed),
    more: listed("boolean", ({ hasMissedMore }) => hasMissedMore),
    state: plain("smallint", ({ state }) => (state === null ? null : STATE[state])),
    reason: plain("text", ({ reason }) => reason),
    due_ms: plain("float8", ({ dueAt }) => dueAt),
    started_ms: plain("float8", ({ startedAt }) => startedAt),
    attempt: plain("integer", ({ attempt }) => attempt),
    max_attempts: plain("integer", ({ maxAttempts }) => maxAttempts),
    ended_ms: plain("float8", ({ endedAt }) => endedAt),
  }),
});

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
      FROM ${arrayRows(concluded.runs)}
     WHERE k.schedule_id = r.schedule_id AND k.seq = r.seq`,
  values: concludedValues,
  read: (row) => row as never,
};

/** Deletes the runs of occurrences that were withdrawn: their instants are open again. Plan: one probe per task. */
export const dropRuns: Statement<{ taskIds: readonly string[] }, never> = {
  name: "drop_runs",
  sql: (schema) => `DELETE FROM ${schema}.schedule_run k WHERE k.task_id = ANY ($1::uuid[])`,
  values: ({ taskIds }) => [taskIds],
  read: (row) => row as never,
};

const [trimmed, trimmedValues] = parameters<{ schedules: readonly { id: string; lastSeq: number }[] }>()({
  schedules: rows(({ schedules }: { schedules: readonly { id: string; lastSeq: number }[] }) => schedules, {
    schedule_id: plain("uuid", ({ id }) => id),
    last_seq: plain("bigint", ({ lastSeq }) => lastSeq),
  }),
});

/**
 * Deletes the runs of schedules behind the newest ones, but for those that are not concluded.
 *
 * Plan: per schedule a range of the primary key from its beginning: what is deleted, and what is open.
 */
export const trimRuns: Statement<{ schedules: readonly { id: string; lastSeq: number }[] }, never> = {
  name: "trim_runs",
  sql: (schema) => `
    DELETE FROM ${schema}.schedule_run k USING ${arrayRows(trimmed.schedules)}
     WHERE k.schedule_id = r.schedule_id AND k.seq <= r.last_seq - ${RUNS_KEPT} AND k.ended_at IS NOT NULL`,
  values: trimmedValues,
  read: (row) => row as never,
};
