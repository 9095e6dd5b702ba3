import type { EpochMs, Retention } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";

export interface ForgetBatches extends Retention {
  /** At most this many rows of each table. */
  limit: number;
  asOf: EpochMs | null;
}

/**
 * Deletes batches that ended longer ago than any of their members is kept, and tallies of batches that are no more.
 * Answers how many rows it deleted. A batch that still stops is kept.
 *
 * Plan: the index of finished batches; the tallies are few, since a look each second folds them.
 */
export const forgetBatches: Statement<ForgetBatches, number> = {
  name: "forget_batches",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    old AS MATERIALIZED (
      SELECT id FROM ${schema}.batch
       WHERE finished_at < (SELECT now - greatest($2::float8, $4::float8) * interval '1 day' FROM clock) AND NOT stopping
       LIMIT $3 FOR UPDATE SKIP LOCKED
    ),
    batches AS (DELETE FROM ${schema}.batch b USING old WHERE b.id = old.id RETURNING 1),
    tallies AS (
      DELETE FROM ${schema}.batch_tally WHERE ctid = ANY (ARRAY (
        SELECT y.ctid FROM ${schema}.batch_tally y LEFT JOIN ${schema}.batch b ON b.id = y.batch_id
         WHERE b.id IS NULL LIMIT $3
      )) RETURNING 1
    )
    SELECT ((SELECT count(*) FROM batches) + (SELECT count(*) FROM tallies))::integer AS count`,
  values: ({ historyRetentionDays, deadRetentionDays, limit, asOf }) => [
    asOf,
    historyRetentionDays,
    limit,
    deadRetentionDays,
  ],
  read: (row) => Number(row.count),
};
