import type { EpochMs, Retention } from "@tickwheel/core";
import { now } from "../sql-fragments.js";
import type { Statement } from "../session.js";
import { STATE } from "../state-codes.js";

export interface ForgetOldRows extends Retention {
  /** At most so many rows of each table; the next round takes the rest. */
  limit: number;
  asOf: EpochMs | null;
}

/** Deletes what no dropped partition takes along: dead tasks, idempotency keys, rows that fell into a default partition. */
export const forgetOldRows: Statement<ForgetOldRows, number> = {
  name: "forget_old_rows",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    old_dead AS MATERIALIZED (
      SELECT id FROM ${schema}.task
       WHERE state = ${STATE.dead} AND finished_at < (SELECT now - $3::float8 * interval '1 day' FROM clock)
       LIMIT $4 FOR UPDATE SKIP LOCKED
    ),
    dead AS (DELETE FROM ${schema}.task t USING old_dead o WHERE t.id = o.id RETURNING 1),
    old_keys AS MATERIALIZED (
      SELECT slot, namespace, key FROM ${schema}.idempotency
       WHERE created_at <= (SELECT now - interval '24 hours' FROM clock) AND outcomes IS NOT NULL
       LIMIT $4 FOR UPDATE SKIP LOCKED
    ),
    keys AS (
      DELETE FROM ${schema}.idempotency i USING old_keys o
       WHERE i.slot = o.slot AND i.namespace = o.namespace AND i.key = o.key RETURNING 1
    ),
    history AS (
      DELETE FROM ${schema}.history_default WHERE finished_at < (SELECT now - $2::float8 * interval '1 day' FROM clock) RETURNING 1
    ),
    journal AS (
      DELETE FROM ${schema}.journal_default
       WHERE recorded_at < (SELECT now - greatest($2::float8, $3::float8) * interval '1 day' FROM clock) RETURNING 1
    )
    SELECT ((SELECT count(*) FROM dead) + (SELECT count(*) FROM keys) + (SELECT count(*) FROM history)
            + (SELECT count(*) FROM journal))::float8 AS count`,
  values: ({ historyRetentionDays, deadRetentionDays, limit, asOf }) => [
    asOf,
    historyRetentionDays,
    deadRetentionDays,
    limit,
  ],
  read: (row) => Number(row.count),
};
