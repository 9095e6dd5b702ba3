import { type Batch, BATCH_STATES, type BatchFilter } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { BEFORE_ALL_IDS, BEHIND_ALL_IDS } from "../../sql/id-bounds.js";
import { readBatchRow, selectBatches } from "../../sql/batch-rows.js";

/** One batch, by its id or its name. Plan: one probe of an index, and the batch's tallies that are not folded yet. */
export const readBatch: Statement<{ namespace: string; id: string | null; name: string | null }, Batch> = {
  name: "read_batch",
  sql: (schema) => `${selectBatches(schema)} WHERE b.namespace = $1 AND (b.id = $2::uuid OR b.name = $3)`,
  values: ({ namespace, id, name }) => [namespace, id, name],
  read: readBatchRow,
};

/** The same of any namespace, for a review. */
export const readBatchById: Statement<{ id: string }, Batch> = {
  name: "read_batch_by_id",
  sql: (schema) => `${selectBatches(schema)} WHERE b.id = $1::uuid`,
  values: ({ id }) => [id],
  read: readBatchRow,
};

/**
 * A page of batches, the newest first.
 *
 * Plan: one backward range of the index of lists for each state. A prefix of the name is checked on the rows of that
 * range: a namespace has at most as many batches as it may have open ones, and those of the days that are kept.
 */
export const listBatches: Statement<BatchFilter, Batch> = {
  name: "list_batches",
  sql: (schema) => `
    ${selectBatches(
      schema,
      `(
      SELECT found.* FROM unnest($2::text[]) AS wanted (state) CROSS JOIN LATERAL (
        SELECT l.* FROM ${schema}.batch l
         WHERE (l.namespace, l.state, l.id) < ($1, wanted.state, $3::uuid)
           AND (l.namespace, l.state, l.id) > ($1, wanted.state, '${BEFORE_ALL_IDS}'::uuid)
           AND ($4::text IS NULL OR starts_with(l.name, $4))
         ORDER BY l.namespace DESC, l.state DESC, l.id DESC LIMIT $5
      ) found ORDER BY found.id DESC LIMIT $5
    )`,
    )}
    ORDER BY b.id DESC`,
  values: ({ namespace, states, before, namePrefix = null, limit }) => [
    namespace,
    states.length === 0 ? BATCH_STATES : states,
    before ?? BEHIND_ALL_IDS,
    namePrefix,
    limit,
  ],
  read: readBatchRow,
};
