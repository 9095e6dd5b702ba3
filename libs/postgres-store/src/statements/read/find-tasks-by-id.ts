import type { Task } from "@tickwheel/core";
import { TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import { TASK_COLUMNS } from "../../sql/task-columns.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { readTask } from "../../sql/task-rows.js";

/** Tasks of one namespace by id, live or finished. Tasks of other namespaces are treated as absent. */
export const findTasksById: Statement<{ namespace: string; ids: readonly string[] }, Task> = {
  name: "find_tasks_by_id",
  sql: (schema) => `
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, liveAndFinished(schema, "id = ANY ($2::uuid[])"))}
     WHERE y.namespace = $1`,
  values: ({ namespace, ids }) => [namespace, ids],
  read: readTask,
};

/**
 * Rows of the live table and of history in one statement, so in one snapshot: a task that is being archived is in
 * exactly one of the two. A look-up by id probes the primary key and one index per kept partition.
 */
export function liveAndFinished(schema: QuotedSchema, condition: string): string {
  const columns = TASK_COLUMNS.join(", ");
  return `(SELECT ${columns} FROM ${schema}.task WHERE ${condition}
     UNION ALL SELECT ${columns} FROM ${schema}.history WHERE ${condition})`;
}
