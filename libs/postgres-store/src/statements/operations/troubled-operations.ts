import {
  type EpochMs,
  HELD_AFTER_MS,
  MAX_TROUBLED_OPERATIONS,
  type OperationAction,
  type OperationTrouble,
  type TroubledOperation,
} from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now, span, wholeMs } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

/**
 * Operations that need somebody, see {@link TroubledOperation}. Plan: those that are open, by their index, which are
 * few of each namespace; those that have stopped, by the index of what is remembered, a day's.
 */
export const troubledOperations: Statement<{ asOf: EpochMs | null }, TroubledOperation> = {
  name: "troubled_operations",
  sql: (schema) => `
    (SELECT 'FAILING' AS trouble, o.namespace, o.id::text AS id, o.action, ${wholeMs("o.finished_at")} AS at, o.changed::float8 AS changed, o.estimate::float8 AS estimate
       FROM ${schema}.operation o
      WHERE o.forgotten_at IS NULL AND o.finished_at IS NOT NULL AND o.state = 'stopped' AND o.stop_reason = 'FAILING'
      ORDER BY o.finished_at DESC LIMIT ${MAX_TROUBLED_OPERATIONS})
    UNION ALL
    (SELECT 'HELD', o.namespace, o.id::text, o.action, ${wholeMs("o.held_at")}, o.changed::float8, o.estimate::float8
       FROM ${schema}.operation o
      WHERE o.state IN ('running', 'undoing') AND o.held_at <= (SELECT ${now("$1")} - ${span(String(HELD_AFTER_MS))})
      ORDER BY o.held_at LIMIT ${MAX_TROUBLED_OPERATIONS})`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    trouble: row.trouble as OperationTrouble,
    namespace: row.namespace as string,
    id: row.id as string,
    action: row.action as OperationAction,
    at: readInstant(row.at)!,
    changed: Number(row.changed),
    estimate: row.estimate === null ? null : Number(row.estimate),
  }),
};
