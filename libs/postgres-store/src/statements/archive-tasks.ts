import { TASK_COLUMNS } from "../sql-fragments.js";
import type { Statement } from "../session.js";
import { STATE } from "../state-codes.js";

/**
 * Moves tasks that succeeded, were cancelled or expired to history: `DELETE … RETURNING` into an INSERT, of rows that it has locked itself, so two
 * nodes at it share the work. Dead ones stay, so that they are found and retried where they are.
 *
 * Plan: the index of ended tasks by (state, finished_at).
 */
export const archiveTasks: Statement<{ limit: number }, number> = {
  name: "archive_tasks",
  sql: (schema) => {
    const columns = TASK_COLUMNS.join(", ");
    return `
    WITH ended AS MATERIALIZED (
      SELECT id FROM ${schema}.task WHERE state IN (${STATE.succeeded}, ${STATE.cancelled}, ${STATE.expired})
       LIMIT $1 FOR UPDATE SKIP LOCKED
    ),
    gone AS (DELETE FROM ${schema}.task t USING ended WHERE t.id = ended.id RETURNING t.*),
    kept AS (INSERT INTO ${schema}.history (${columns}) SELECT ${columns} FROM gone RETURNING 1)
    SELECT count(*)::integer AS count FROM kept`;
  },
  values: ({ limit }) => [limit],
  read: (row) => Number(row.count),
};
