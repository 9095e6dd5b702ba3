import type { UndoOutcome } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

interface Rest {
  operationId: string;
  ids: readonly string[];
}

/**
 * Why the rest of a page was not put back, and notes it; a statement of its own, so its snapshot is behind the locks.
 * `LOCKED`: it is as the operation left it, and somebody holds it. That is not noted: it comes again.
 */
export const undoRest: Statement<Rest, { id: string; outcome: UndoOutcome }> = {
  name: "undo_rest",
  sql: (schema) => `
    WITH rest AS MATERIALIZED (
      SELECT m.* FROM ${arrayRows({ arrays: ["$2::uuid[]"], names: "id" })} CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.operation_task o WHERE o.operation_id = $1 AND o.task_id = r.id LIMIT 1) m
       WHERE m.undone IS NULL
    ),
    seen AS MATERIALIZED (
      SELECT m.task_id AS id, CASE WHEN t.id IS NULL THEN 'GONE'
             WHEN ${isAsLeft("t")} THEN 'LOCKED'
             WHEN t.state = ${STATE.running} THEN 'STARTED'
             WHEN t.fence <> m.fence AND t.version = m.version THEN 'HAS_RUN' ELSE 'TOUCHED' END AS outcome
        FROM rest m LEFT JOIN LATERAL ${rowNow(schema, "m.task_id")} t ON true
    ),
    told AS (
      UPDATE ${schema}.operation_task m SET undone = s.outcome FROM seen s
       WHERE m.operation_id = $1 AND m.task_id = s.id AND s.outcome <> 'LOCKED'
    )
    SELECT id::text AS id, outcome FROM seen`,
  values: ({ operationId, ids }) => [operationId, ids],
  read: ({ id, outcome }) => ({ id: id as string, outcome: outcome as UndoOutcome }),
};

/** Notes one outcome for some tasks. */
export const leaveRemembered: Statement<Rest & { outcome: UndoOutcome }, string> = {
  name: "leave_remembered",
  sql: (schema) => `
    UPDATE ${schema}.operation_task SET undone = $3
     WHERE operation_id = $1 AND task_id = ANY ($2::uuid[]) AND undone IS NULL
    RETURNING task_id::text AS id`,
  values: ({ operationId, ids, outcome }) => [operationId, ids, outcome],
  read: (row) => row.id as string,
};

/** How many tasks an undo has not looked at, or found locked. */
export const countRest: Statement<{ operationId: string }, number> = {
  name: "count_rest",
  sql: (schema) => `
    SELECT count(*)::float8 AS count FROM ${schema}.operation_task WHERE operation_id = $1 AND undone IS NULL`,
  values: ({ operationId }) => [operationId],
  read: (row) => Number(row.count),
};

/** Tells all of them as locked: the last round is over. */
export const leaveLocked: Statement<{ operationId: string }, never> = {
  name: "leave_locked",
  sql: (schema) => `UPDATE ${schema}.operation_task SET undone = 'LOCKED' WHERE operation_id = $1 AND undone IS NULL`,
  values: ({ operationId }) => [operationId],
  read: () => {
    throw new Error("it answers no rows");
  },
};

/** Whether the row `t` is as the operation left it, which remembers it as `m`. */
export function isAsLeft(row: string): string {
  return `${row}.version = m.version AND ${row}.fence = m.fence AND ${row}.state = m.state`;
}

/** The row of a task, wherever it is: what says whether it was changed. */
export function rowNow(schema: QuotedSchema, id: string): string {
  const from = (table: string): string => `SELECT id, version, fence, state FROM ${schema}.${table} WHERE id = ${id}`;
  return `(${from("task")} UNION ALL ${from("history")} LIMIT 1)`;
}
