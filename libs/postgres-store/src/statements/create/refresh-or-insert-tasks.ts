import type { EpochMs, NewTask, Task } from "@tickwheel/core";
import { withChange } from "../../sql/journal-sql.js";
import { movedAlong, now, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";
import { insertByKey, newTaskArrays, newTaskRows } from "./insert-tasks.js";

export interface RefreshOrInsertTasks {
  /** At most one for each key. */
  tasks: readonly NewTask[];
  asOf: EpochMs | null;
}

/**
 * The first of the two statements that write keyed tasks. It inserts the tasks whose key is free, and refreshes
 * scheduled holders for the tasks that ask for it. A task that is missing in the answer met a holder that was not
 * changed. *That holder's row is now locked* until the transaction ends: a conflicting row is locked whether or not the
 * condition of DO UPDATE holds. So the second statement may act on what it reads [key-first].
 *
 * The rows are locked in the order of (slot, type, key) [lock-order]. The journal is in the row itself: successive
 * refreshes are folded.
 *
 * Plan: one probe of the unique index on the live key for each row. The LIMIT leaves no row out, as in `arrayRows`; it
 * lets the plan be made once and kept. Without it each refresh of a small table is planned anew, which takes a third
 * longer.
 */
export const refreshOrInsertTasks: Statement<RefreshOrInsertTasks, Task> = {
  name: "refresh_or_insert_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      ${insertByKey(schema, ROWS)}
         SET scheduled_at = excluded.scheduled_at, due_at = excluded.due_at, version = t.version + 1,
             start_deadline_at = ${movedAlong("t.start_deadline_at", { from: "t.scheduled_at", to: "excluded.scheduled_at" })},
             notes = ${NOTES}
       WHERE t.state = ${STATE.scheduled} AND excluded.id = ANY ($2::uuid[])
      RETURNING t.*
    )
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "written")}`,
  values: ({ tasks, asOf }) => {
    const folded = tasks.filter(({ refreshCount = 1 }) => refreshCount > 1);
    return [
      asOf,
      tasks.filter(({ onConflict }) => onConflict === "refresh").map(({ id }) => id),
      folded.map(({ id }) => id),
      folded.map(({ refreshCount }) => refreshCount),
      ...newTaskArrays(tasks),
    ];
  },
  read: readTask,
};

const ROWS = `(SELECT * FROM ${newTaskRows(5)} LIMIT cardinality($5::uuid[])) AS r`;
const NOTES = withChange(
  "t",
  {
    at: "excluded.created_at",
    reason: "'REFRESHED'",
    actor: "excluded.created_by",
    count: "coalesce(($4::integer[])[array_position($3::uuid[], excluded.id)], 1)",
  },
  (note) => `${note} ->> 'reason' = 'REFRESHED'`,
);
