import type { EpochMs, UndoReach } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { rowNow } from "../operation-rows/row-now.js";
import { isAsLeft } from "./undo-rest.js";

/** An undo's reach is told by so many of the newest tasks. */
const LOOKED_AT = 1_000;

/** What an undo would find; no row: there is no such operation. Plan: a range of the primary key, a probe per task. */
export const undoReach: Statement<{ namespace: string; id: string; asOf: EpochMs | null }, UndoReach> = {
  name: "undo_reach",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$3")} AS now),
    newest AS MATERIALIZED (
      SELECT m.* FROM ${schema}.operation_task m WHERE m.operation_id = $2::uuid AND m.undone IS NULL
       ORDER BY m.operation_id DESC, m.task_id DESC LIMIT ${LOOKED_AT}
    ),
    seen AS MATERIALIZED (
      SELECT m.*, t.id IS NOT NULL AND ${isAsLeft("t")} AS is_reachable
        FROM newest m LEFT JOIN LATERAL ${rowNow(schema, "m.task_id")} t ON true
    )
    SELECT looked_at, reachable, due FROM ${schema}.operation o CROSS JOIN (
      SELECT count(seen.task_id)::float8 AS looked_at, (count(*) FILTER (WHERE is_reachable))::float8 AS reachable,
             (count(*) FILTER (WHERE is_reachable AND NOT is_whole AND was = ${STATE.scheduled} AND due_at <= clock.now AND due_at > at))::float8 AS due
        FROM clock LEFT JOIN seen ON true) s
     WHERE o.namespace = $1 AND o.id = $2::uuid AND o.forgotten_at IS NULL`,
  values: ({ namespace, id, asOf }) => [namespace, id, asOf],
  read: (row) => ({ lookedAt: Number(row.looked_at), reachable: Number(row.reachable), due: Number(row.due) }),
};
