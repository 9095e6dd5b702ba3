import { type EditRequest, type EpochMs, handlerDelivery, type Task } from "@tickwheel/core";
import { atNow, pausedAgain } from "../../sql/paused-sql.js";
import { withChange } from "../../sql/journal-sql.js";
import { asOf, lockLimit, parameters, typed } from "../../sql/parameters.js";
import { lockTimeout, movedAlong, now, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask, writeJson, writePayload } from "../../sql/task-rows.js";
import { atOf, delayOf, dueAt } from "../create/new-rows.js";

export interface EditTask extends EditRequest {
  /** Null in a caller's transaction: it waits as long as it takes. */
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}
export interface EditedTask {
  changed: boolean;
  task: Task;
}

const [p, values] = parameters<EditTask>()({
  asOf,
  lockLimit,
  namespace: ({ namespace }) => namespace,
  id: typed("uuid", ({ id }) => id),
  expectedVersion: typed("integer", ({ expectedVersion }) => expectedVersion ?? null),
  isMoved: typed("boolean", ({ changes }) => changes.due !== undefined),
  at: typed("float8", ({ changes: { due } }) => (due ? atOf(due) : null)),
  delayMs: typed("float8", ({ changes: { due } }) => (due ? delayOf(due) : null)),
  hasPayload: typed("boolean", ({ changes }) => changes.payload !== undefined),
  payload: typed("json", ({ changes: { payload } }) => (payload === undefined ? null : writePayload(payload))),
  priority: typed("smallint", ({ changes }) => changes.priority ?? null),
  maxAttempts: typed("integer", ({ changes }) => changes.maxAttempts ?? null),
  actor: typed("text", ({ actor }) => actor),
  isForScheduledOnly: typed("boolean", ({ isForScheduledOnly = false }) => isForScheduledOnly),
  delivery: ({ changes }) => writeJson(handlerDelivery(changes.payloadVersion)),
});

/**
 * Changes a task that waits and whose version is the expected one; one that is paused stays paused. For any other task
 * in the live table it answers the locked row unchanged. No row: the task is not in the live table. The row is locked
 * before the clock is read, so a delay counts from the end of the wait.
 *
 * A new due time moves the start deadline by as much. Without a new due time an overdue task becomes due now: so a
 * sweep finds its row where it looks first, whenever this commits.
 *
 * The journal is in the row itself, folded with the same actor's earlier changes.
 */
export const editTask: Statement<EditTask, EditedTask> = {
  name: "edit_task",
  sql: (schema) => `
    WITH guard AS MATERIALIZED (${lockTimeout(p.lockLimit)}),
    found AS MATERIALIZED (
      SELECT t.* FROM guard CROSS JOIN ${schema}.task t
       WHERE t.id = ${p.id} AND t.type_id IN (SELECT id FROM ${schema}.type WHERE namespace = ${p.namespace})
         FOR UPDATE OF t
    ),
    editable AS MATERIALIZED (
      SELECT f.*, CASE WHEN ${p.isMoved} THEN ${dueAt(p.at, p.delayMs, "f.now")} ELSE ${atNow("f", "scheduled_at", "f.now")} END AS asked_at
        FROM (SELECT *, ${now(p.asOf)} AS now FROM found) f
       WHERE f.state <= ${STATE.scheduled} AND NOT (${p.isForScheduledOnly} AND f.state = ${STATE.paused}) AND f.version = coalesce(${p.expectedVersion}, f.version)
    ),
    edited AS (
      UPDATE ${schema}.task t
         SET due_at = CASE WHEN ${p.isMoved} THEN e.asked_at ELSE greatest(e.now, ${atNow("t", "due_at", "e.now")}) END,
             scheduled_at = e.asked_at,
             start_deadline_at = ${movedAlong("t.start_deadline_at", { from: "t.scheduled_at", to: "e.asked_at" })},
             wait_until = ${atNow("t", "wait_until", "e.now")}, ${pausedAgain("t", "e.now")},
             payload = CASE WHEN ${p.hasPayload} THEN ${p.payload} ELSE t.payload END,
             delivery = CASE WHEN ${p.hasPayload} AND t.delivery ->> 'kind' IS DISTINCT FROM 'webhook' THEN ${withItsTrace(p.delivery)} ELSE t.delivery END,
             priority = coalesce(${p.priority}, t.priority),
             max_attempts = coalesce(${p.maxAttempts}, t.max_attempts),
             given = t.given | (${p.maxAttempts} IS NOT NULL)::int::smallint,
             version = t.version + 1,
             notes = ${NOTES}
        FROM editable e
       WHERE t.id = e.id
      RETURNING t.*
    ),
    answer AS (
      SELECT true AS changed, e.* FROM edited e
      UNION ALL SELECT false, f.* FROM found f WHERE NOT EXISTS (SELECT FROM editable)
    )
    SELECT t.changed, ${TASK_FIELDS} FROM ${taskFrom(schema, "answer")}`,
  values,
  read: (row) => ({ changed: row.changed as boolean, task: readTask(row) }),
};

/** The delivery of a handler's task with the trace that the task has: an edit leaves that. */
function withItsTrace(delivery: string): string {
  return `CASE WHEN t.delivery -> 'trace' IS NULL THEN ${delivery}::json
                          ELSE (coalesce(${delivery}::json::jsonb, '{"kind":"handler"}') || jsonb_build_object('trace', t.delivery -> 'trace'))::json END`;
}

const REASON = `CASE WHEN ${p.isMoved} THEN 'RESCHEDULED' ELSE 'EDITED' END`;
const NOTES = withChange(
  "e",
  { at: "e.now", reason: REASON, actor: p.actor, count: "1" },
  (note) => `${note} ->> 'reason' = ${REASON} AND ${note} ->> 'actor' = ${p.actor}`,
);
