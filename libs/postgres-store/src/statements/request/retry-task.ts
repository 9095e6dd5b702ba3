import { type EpochMs, SKIPPED, type Task } from "@tickwheel/core";
import { tallyRisen } from "../../sql/dead-sql.js";
import { type EntrySql, journalled, writeJournal } from "../../sql/journal-sql.js";
import { asOf, lockLimit, parameters, typed } from "../../sql/parameters.js";
import { type ColumnChanges, lockTimeout, now, stateById, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import { TASK_COLUMNS, type TaskColumn } from "../../sql/task-columns.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";

export interface RetryTask {
  namespace: string;
  id: string;
  actor: string;
  /** Null in a caller's transaction: it waits as long as it takes. */
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}

const [p, values] = parameters<RetryTask>()({
  asOf,
  lockLimit,
  namespace: ({ namespace }) => namespace,
  id: typed("uuid", ({ id }) => id),
  actor: typed("text", ({ actor }) => actor),
});

/**
 * Schedules a terminal task again. A task in the live table is changed in place. A task in history is moved back by one
 * `DELETE … RETURNING` into a plain INSERT, and is taken out of its counters. A taken key is a unique violation, which
 * leaves history unchanged. ON CONFLICT must not be used here: it would lose the row. No row: no terminal task has this
 * id.
 *
 * A member of a batch comes back under a lock of its batch's row, which is taken before the task changes: so a batch
 * does not complete between the look at its members and this commit.
 */
export const retryTask: Statement<RetryTask, Task> = {
  name: "retry_task",
  sql: (schema) => `
    WITH guard AS MATERIALIZED (${lockTimeout(p.lockLimit)}),
    namespace_type AS MATERIALIZED (SELECT id FROM ${schema}.type WHERE namespace = ${p.namespace}),
    live AS MATERIALIZED (
      SELECT t.* FROM guard CROSS JOIN ${schema}.task t
       WHERE t.id = ${p.id} AND ${stateById("t")} >= ${STATE.succeeded} AND t.type_id IN (SELECT id FROM namespace_type)
         FOR UPDATE OF t
    ),
    finished AS (
      DELETE FROM ${schema}.history h USING guard
       WHERE h.id = ${p.id} AND h.type_id IN (SELECT id FROM namespace_type)
      RETURNING h.*
    ),
    uncounted AS (
      INSERT INTO ${schema}.tally (at, span_minutes, type_id, succeeded, skipped, cancelled, expired)
      SELECT date_trunc('minute', finished_at, 'UTC'), 1, type_id, -(state = ${STATE.succeeded})::int, -(reason IS NOT DISTINCT FROM '${SKIPPED}')::int,
             -(state = ${STATE.cancelled})::int, -(state = ${STATE.expired})::int FROM finished
    ),
    found AS MATERIALIZED (SELECT * FROM live UNION ALL SELECT * FROM finished),
    batch AS MATERIALIZED (
      SELECT b.id FROM ${schema}.batch b WHERE b.id IN (SELECT batch_id FROM found) FOR KEY SHARE
    ),
    ended AS MATERIALIZED (
      SELECT e.*, ${now(p.asOf)} AS now FROM found e CROSS JOIN (SELECT count(*) FROM batch) locked
    ),
    tallied AS (
      INSERT INTO ${schema}.batch_tally (batch_id, succeeded, dead, cancelled, expired)
      SELECT batch_id, -(state = ${STATE.succeeded})::int, -(state = ${STATE.dead})::int, -(state = ${STATE.cancelled})::int,
             -(state = ${STATE.expired})::int FROM ended JOIN batch b ON b.id = batch_id
    ),
    risen AS (${tallyRisen(schema, "ended")}),
    in_place AS (
      UPDATE ${schema}.task t SET ${Object.entries(fresh("e"))
        .map(([column, value]) => `${column} = ${value}`)
        .join(", ")}
        FROM ended e WHERE t.id = e.id
      RETURNING t.*
    ),
    brought_back AS (
      INSERT INTO ${schema}.task (${TASK_COLUMNS.join(", ")})
      SELECT ${TASK_COLUMNS.map((column) => fresh("e")[column] ?? `e.${column}`).join(", ")}
        FROM ended e WHERE NOT EXISTS (SELECT FROM live)
      RETURNING *
    ),
    journalled AS (${writeJournal(schema, { source: "ended", own: ownEntry("r"), recordedAt: "(SELECT now FROM ended)" })}),
    answer AS (SELECT * FROM in_place UNION ALL SELECT * FROM brought_back)
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "answer")}`,
  values,
  read: readTask,
};

/** The columns that a retry sets, and their values. `row` is the task as it ended. */
function fresh(row: string): ColumnChanges {
  const cleared: TaskColumn[] = [
    ...(["owner", "start_deadline_at", "claimed_at", "started_at", "finished_at", "cancel_requested_at"] as const),
    ...([
      "paused_at",
      "paused_ms",
      "cancelled_by",
      "reason",
      "result",
      "last_error",
      "error_print",
      "lateness_parts",
    ] as const),
  ];
  return {
    ...Object.fromEntries(cleared.map((column) => [column, "NULL"])),
    state: String(STATE.scheduled),
    due_at: `${row}.now`,
    key_live: `${row}.key IS NOT NULL`,
    version: `${row}.version + 1`,
    fence: `${row}.fence + 1`,
    attempt: "0",
    crash_count: "0",
    snooze_count: "0",
    defer_count: "0",
    ...journalled(row, ownEntry(row)),
  };
}

function ownEntry(row: string): EntrySql {
  return {
    at: `${row}.now`,
    from: `${row}.state`,
    to: String(STATE.scheduled),
    owner: "NULL",
    fence: `${row}.fence + 1`,
    attempt: "0",
    reason: "'RETRIED'",
    actor: p.actor,
  };
}
