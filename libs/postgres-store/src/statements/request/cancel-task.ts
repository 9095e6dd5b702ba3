import type { EpochMs, Task } from "@tickwheel/core";
import { lockTimeout, now, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";

export interface CancelTask {
  namespace: string;
  /** Exactly one of `id` and `holder` is not null. */
  id: string | null;
  holder: { slot: number; type: string; key: string } | null;
  actor: string;
  /** Null in a caller's transaction: it waits as long as it takes. */
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}

/**
 * Ends a scheduled task, or notes the request on a running one that has none yet. No row: the task is in neither of
 * these states. The UPDATE itself waits for the row's lock and checks the newest version, so a claim and a cancel of
 * one task come one after the other.
 *
 * The row itself is the journal. Plan: one probe of the primary key or of the unique index on the live key, then one of
 * the primary key. The second one is a scalar sub-select: with a join, a plan made while the table was empty would read
 * the whole table for ever.
 */
export const cancelTask: Statement<CancelTask, Task> = {
  name: "cancel_task",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now, guard.set FROM (${lockTimeout("$2")}) guard),
    target AS MATERIALIZED (
      SELECT t.id FROM ${schema}.task t JOIN ${schema}.type y ON y.id = t.type_id
       WHERE t.id = $4::uuid AND y.namespace = $3
      UNION ALL
      SELECT t.id FROM ${schema}.task t JOIN ${schema}.type y ON y.id = t.type_id
       WHERE t.slot = $5::smallint AND t.key = $7::text AND t.key_live AND y.namespace = $3 AND y.type = $6::text
    ),
    cancelled AS (
      UPDATE ${schema}.task t
         SET state = CASE WHEN t.state = ${STATE.scheduled} THEN ${STATE.cancelled} ELSE t.state END,
             key_live = t.key_live AND t.state <> ${STATE.scheduled},
             reason = CASE WHEN t.state = ${STATE.scheduled} THEN 'REQUESTED' ELSE t.reason END,
             finished_at = CASE WHEN t.state = ${STATE.scheduled} THEN clock.now END,
             cancel_requested_at = CASE WHEN t.state = ${STATE.running} THEN clock.now END,
             cancelled_by = $8, version = t.version + 1
        FROM clock
       WHERE t.id = (SELECT id FROM target) AND t.cancel_requested_at IS NULL AND t.state IN (${STATE.scheduled}, ${STATE.running})
         AND (t.key_live OR $7::text IS NULL)
      RETURNING t.*
    )
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "cancelled")}`,
  values: ({ namespace, id, holder, actor, lockTimeoutMs, asOf }) => [
    asOf,
    lockTimeoutMs === null ? null : String(lockTimeoutMs),
    namespace,
    id,
    holder?.slot ?? null,
    holder?.type ?? null,
    holder?.key ?? null,
    actor,
  ],
  read: readTask,
};
