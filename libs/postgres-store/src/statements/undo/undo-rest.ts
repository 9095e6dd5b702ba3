import type { UndoOutcome } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { rowNow } from "../operation-rows/row-now.js";

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

/** Some tasks of an operation, and why an undo leaves them. */
export interface LeftTasks extends Rest {
  outcome: UndoOutcome;
}

/** Notes one outcome for some tasks. Plan: a probe of the primary key for each. */
export const leaveRemembered: Statement<LeftTasks, string> = {
  name: "leave_remembered",
  sql: (schema) => `
    UPDATE ${schema}.operation_task SET undone = $3
     WHERE operation_id = $1 AND task_id = ANY ($2::uuid[]) AND undone IS NULL
    RETURNING task_id::text AS id`,
  values: ({ operationId, ids, outcome }) => [operationId, ids, outcome],
  read: (row) => row.id as string,
};

/** Whether the row `t` is as the operation left it, which remembers it as `m`. */
export function isAsLeft(row: string): string {
  return `${row}.version = m.version AND ${row}.fence = m.fence AND ${row}.state = m.state`;
}
