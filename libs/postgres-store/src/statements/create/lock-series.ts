import type { ExecutionRef, Task } from "@tickwheel/core";
import { parameters, typed } from "../../sql/parameters.js";
import { stateById, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";

const [p, values] = parameters<ExecutionRef>()({
  id: typed("uuid", ({ id }) => id),
  owner: typed("bigint", ({ owner }) => owner),
  fence: typed("integer", ({ fence }) => fence),
});

/**
 * Locks a running task of a series that goes on: it has further instants, holds its key, nobody has asked to cancel it,
 * and no task has taken its key yet. Checked on the newest version of the row, so a cancel of the key is either seen
 * here or finds the next task. Plan: one probe of the primary key.
 */
export const lockSeries: Statement<ExecutionRef, Task> = {
  name: "lock_series",
  sql: (schema) => `
    WITH found AS MATERIALIZED (
      SELECT t.* FROM ${schema}.task t
       WHERE t.id = ${p.id} AND ${stateById("t")} = ${STATE.running} AND t.owner = ${p.owner} AND t.fence = ${p.fence}
         AND t.later_ms IS NOT NULL AND t.key_live AND t.cancel_requested_at IS NULL AND t.continued_by IS NULL
         FOR UPDATE OF t
    )
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "found")}`,
  values,
  read: readTask,
};
