import { type EpochMs, OPERATION_MEMORY_MS } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now, span } from "../../sql/sql-fragments.js";

interface Forget {
  /** At most this many rows. */
  limit: number;
  asOf: EpochMs | null;
}

const [p, values] = parameters<Forget>()({ asOf, limit: typed("integer", ({ limit }) => limit) });

/**
 * Forgets what the operation has changed whose end is the longest ago, if its memory is over: some rows at once, and
 * `forgotten_at` with the last of them. Answers how many rows it has written. Transactions that change the operation
 * wait.
 *
 * Plan: the index of memories, and one range of the primary key of one.
 */
export const forgetOperationTasks: Statement<Forget, number> = {
  name: "forget_operation_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    old AS MATERIALIZED (
      SELECT o.id FROM ${schema}.operation o
       WHERE o.forgotten_at IS NULL AND o.finished_at <= (SELECT now - ${span(String(OPERATION_MEMORY_MS))} FROM clock)
       ORDER BY o.finished_at LIMIT 1 FOR UPDATE SKIP LOCKED),
    gone AS (
      DELETE FROM ${schema}.operation_task WHERE ctid = ANY (ARRAY (
        SELECT m.ctid FROM ${schema}.operation_task m WHERE m.operation_id = (SELECT id FROM old) LIMIT ${p.limit}))
      RETURNING 1),
    got AS MATERIALIZED (SELECT count(*) AS n FROM gone),
    forgotten AS (
      UPDATE ${schema}.operation o SET forgotten_at = clock.now FROM old, clock, got WHERE o.id = old.id AND got.n < ${p.limit}
      RETURNING 1)
    SELECT (got.n + (SELECT count(*) FROM forgotten))::integer AS count FROM got`,
  values,
  read: (row) => Number(row.count),
};

interface ForgetOperations extends Forget {
  keptDays: number;
}

const [f, valuesOfRows] = parameters<ForgetOperations>()({
  asOf,
  keptDays: typed("float8", ({ keptDays }) => keptDays),
  limit: typed("integer", ({ limit }) => limit),
});

/** Forgets operations that are long over and remember nothing, and answers how many. Plan: the index of ends. */
export const forgetOperations: Statement<ForgetOperations, number> = {
  name: "forget_operations",
  sql: (schema) => `
    WITH old AS MATERIALIZED (
      SELECT id FROM ${schema}.operation
       WHERE finished_at < (SELECT ${now(f.asOf)} - ${f.keptDays} * interval '1 day') AND forgotten_at IS NOT NULL
       ORDER BY finished_at LIMIT ${f.limit} FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM ${schema}.operation o USING old WHERE o.id = old.id RETURNING 1)
    SELECT count(*)::integer AS count FROM gone`,
  values: valuesOfRows,
  read: (row) => Number(row.count),
};
