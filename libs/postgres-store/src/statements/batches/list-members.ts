import type { MemberFilter, Task } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { membersInState } from "../../sql/batch-sql.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { parameters, typed } from "../../sql/parameters.js";
import { TASK_FIELDS, taskBytes, taskFrom } from "../../sql/sql-fragments.js";
import { TASK_COLUMNS } from "../../sql/task-columns.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";

export interface ListMembers extends MemberFilter {
  maxBytes: number;
}
/** A member, and how many were found in all, those that the page has no room for included. */
export interface ListedMember {
  task: Task;
  found: number;
}

const [p, values] = parameters<ListMembers>()({
  namespace: ({ namespace }) => namespace,
  batchId: typed("uuid", ({ batchId }) => batchId),
  states: typed("smallint[]", ({ states }) =>
    states.length > 0 ? states.map((state) => STATE[state]) : Object.values(STATE),
  ),
  after: typed("uuid", ({ after }) => after ?? BEFORE_ALL_IDS),
  limit: ({ limit }) => limit,
  maxBytes: typed("float8", ({ maxBytes }) => maxBytes),
});

/**
 * A page of a batch's members, live and finished, by id.
 *
 * Plan: for each state one range of the index of members, in the live table and in each partition of history; each
 * range ends at the page's length. Payloads and results are unpacked one by one, up to the one that reaches `maxBytes`.
 */
export const listMembers: Statement<ListMembers, ListedMember> = {
  name: "list_members",
  sql: (schema) => `
    WITH RECURSIVE own AS MATERIALIZED (SELECT id FROM ${schema}.batch WHERE namespace = ${p.namespace} AND id = ${p.batchId}),
    found AS MATERIALIZED (
      SELECT * FROM (${pageOf(schema, "task")} UNION ALL ${pageOf(schema, "history")}) either ORDER BY id LIMIT ${p.limit}
    ),
    placed AS MATERIALIZED (SELECT f.*, row_number() OVER (ORDER BY id) AS place FROM found f),
    shown AS (
      SELECT 0::bigint AS place, 0::bigint AS bytes
       UNION ALL
      SELECT p.place, s.bytes + ${taskBytes("p")} FROM shown s JOIN placed p ON p.place = s.place + 1 WHERE s.bytes < ${p.maxBytes}
    )
    SELECT ${TASK_FIELDS}, (SELECT count(*) FROM placed)::integer AS found
      FROM ${taskFrom(schema, "(SELECT * FROM placed WHERE place <= (SELECT max(place) FROM shown))")} ORDER BY t.id`,
  values,
  read: (row) => ({ task: readTask(row), found: Number(row.found) }),
};

function pageOf(schema: QuotedSchema, table: "task" | "history"): string {
  const columns = TASK_COLUMNS.map((column) => `m.${column}`).join(", ");
  return `(
        SELECT page.* FROM own CROSS JOIN unnest(${p.states}) AS wanted (state) CROSS JOIN LATERAL (
          SELECT ${columns} FROM ${schema}.${table} m
           WHERE ${membersInState("m", { batch: "own.id", state: "wanted.state", after: p.after })} LIMIT ${p.limit}
        ) page)`;
}
