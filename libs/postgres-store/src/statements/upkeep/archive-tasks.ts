import { TASK_COLUMNS } from "../../sql/task-columns.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

const END_COUNTS = [STATE.succeeded, STATE.cancelled, STATE.expired]
  .map((state) => `count(*) FILTER (WHERE state = ${state})`)
  .join(", ");

/** For a task in SQL: it is for history, in the form of the index of ended tasks. */
export const FOR_HISTORY = `state IN (${STATE.succeeded}, ${STATE.cancelled}, ${STATE.expired})`;

/**
 * Moves succeeded, cancelled and expired tasks to history by `DELETE … RETURNING` into an INSERT. It locks the rows
 * itself, so two nodes that do this at the same time share the work. Dead tasks stay, so that they are found and
 * retried where they are.
 *
 * It counts the moved tasks in the same transaction.
 *
 * Plan: the index of ended tasks by (state, finished_at).
 */
export const archiveTasks: Statement<{ limit: number }, number> = {
  name: "archive_tasks",
  sql: (schema) => {
    const columns = TASK_COLUMNS.join(", ");
    return `
    WITH ended AS MATERIALIZED (
      SELECT id FROM ${schema}.task WHERE ${FOR_HISTORY}
       LIMIT $1 FOR UPDATE SKIP LOCKED
    ),
    gone AS (DELETE FROM ${schema}.task t USING ended WHERE t.id = ended.id RETURNING t.*),
    kept AS (INSERT INTO ${schema}.history (${columns}) SELECT ${columns} FROM gone RETURNING 1),
    counted AS (
      INSERT INTO ${schema}.tally (at, span_minutes, type_id, succeeded, cancelled, expired)
      SELECT date_trunc('minute', finished_at, 'UTC'), 1, type_id, ${END_COUNTS} FROM gone GROUP BY 1, 3
    )
    SELECT count(*)::integer AS count FROM kept`;
  },
  values: ({ limit }) => [limit],
  read: (row) => Number(row.count),
};
