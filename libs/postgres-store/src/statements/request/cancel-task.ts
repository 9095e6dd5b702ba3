import type { Task } from "@tickwheel/core";
import { tallyEnds } from "../../sql/batch-sql.js";
import { endOrAsk } from "../../sql/cancel-sql.js";
import { lockTimeout, now, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";
import { isStillMeant, type TargetedRequest, targeted, targetId, targetValues } from "./target.js";

/**
 * Ends a task that waits, or notes the request on a running one that has none yet. No row: the task is in neither of
 * these states. The UPDATE itself waits for the row's lock and checks the newest version, so a claim and a cancel of
 * one task come one after the other.
 *
 * The row itself is the journal. Plan: one probe of the primary key or of the unique index on the live key, then one of
 * the primary key. The second one is a scalar sub-select: with a join, a plan made while the table was empty would read
 * the whole table for ever.
 */
export const cancelTask: Statement<TargetedRequest, Task> = {
  name: "cancel_task",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(targeted.asOf)} AS now, guard.set FROM (${lockTimeout(targeted.lockLimit)}) guard),
    target AS MATERIALIZED (${targetId(schema)}),
    cancelled AS (
      UPDATE ${schema}.task t
         SET ${endOrAsk(targeted.actor)}
        FROM clock
       WHERE t.id = (SELECT id FROM target) AND t.cancel_requested_at IS NULL AND t.state <= ${STATE.running}
         AND ${isStillMeant("t")}
      RETURNING t.*
    ),
    tallied AS (${tallyEnds(schema, "cancelled", "state")})
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "cancelled")}`,
  values: targetValues,
  read: readTask,
};
