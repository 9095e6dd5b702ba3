import type { Statement } from "../../connection/session.js";
import { BATCH_COUNTS } from "../../sql/batch-sql.js";

/** Most tallies of one fold. */
export const FOLD_LIMIT = 5_000;

/**
 * Moves tallies into their batches' rows: each is deleted in the statement that adds it, so it counts once. Batches
 * that others have locked are left for later, as are tallies of batches that are no more: those are forgotten with old
 * rows. Answers how many tallies it moved.
 *
 * Plan: the first rows of the tallies, one probe of the primary key per batch, the index of tallies per batch.
 */
export const foldBatchTallies: Statement<null, number> = {
  name: "fold_batch_tallies",
  sql: (schema) => `
    WITH seen AS MATERIALIZED (SELECT DISTINCT batch_id FROM (SELECT batch_id FROM ${schema}.batch_tally LIMIT ${FOLD_LIMIT}) y),
    locked AS MATERIALIZED (
      SELECT b.id FROM ${schema}.batch b WHERE b.id IN (SELECT batch_id FROM seen) FOR NO KEY UPDATE SKIP LOCKED
    ),
    picked AS MATERIALIZED (
      SELECT y.ctid FROM ${schema}.batch_tally y WHERE y.batch_id IN (SELECT id FROM locked) LIMIT ${FOLD_LIMIT}
    ),
    moved AS (
      DELETE FROM ${schema}.batch_tally WHERE ctid = ANY (ARRAY (SELECT ctid FROM picked)) RETURNING *
    ),
    sums AS MATERIALIZED (
      SELECT batch_id, count(*) AS moved, ${BATCH_COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ")}
        FROM moved GROUP BY batch_id
    ),
    folded AS (
      UPDATE ${schema}.batch b SET ${BATCH_COUNTS.map((count) => `${count} = b.${count} + s.${count}`).join(", ")}
        FROM sums s WHERE b.id = s.batch_id
    )
    SELECT coalesce(sum(moved), 0)::integer AS moved FROM sums`,
  values: () => [],
  read: (row) => Number(row.moved),
};
