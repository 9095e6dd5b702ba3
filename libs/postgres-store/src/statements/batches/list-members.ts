import type { MemberFilter, Task } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { membersInState } from "../../sql/batch-sql.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { TASK_COLUMNS, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";

/**
 * A page of a batch's members, live and finished, by id.
 *
 * Plan: for each state one range of the index of members, in the live table and in each partition of history; each
 * range ends at the page's length.
 */
export const listMembers: Statement<MemberFilter, Task> = {
  name: "list_members",
  sql: (schema) => `
    WITH own AS MATERIALIZED (SELECT id FROM ${schema}.batch WHERE namespace = $1 AND id = $2::uuid),
    found AS MATERIALIZED (
      SELECT * FROM (${pageOf(schema, "task")} UNION ALL ${pageOf(schema, "history")}) either ORDER BY id LIMIT $5
    )
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "found")} ORDER BY t.id`,
  values: ({ namespace, batchId, states, after, limit }) => [
    namespace,
    batchId,
    (states.length > 0 ? states : (Object.keys(STATE) as (keyof typeof STATE)[])).map((state) => STATE[state]),
    after ?? BEFORE_ALL_IDS,
    limit,
  ],
  read: readTask,
};

function pageOf(schema: QuotedSchema, table: "task" | "history"): string {
  const columns = TASK_COLUMNS.map((column) => `m.${column}`).join(", ");
  return `(
        SELECT page.* FROM own CROSS JOIN unnest($3::smallint[]) AS wanted (state) CROSS JOIN LATERAL (
          SELECT ${columns} FROM ${schema}.${table} m
           WHERE ${membersInState("m", { batch: "own.id", state: "wanted.state", after: "$4::uuid" })} LIMIT $5
        ) page)`;
}
