import type { Statement } from "../../connection/session.js";

/** How many batches of a namespace are filling or open, up to a limit. Plan: the index of lists. */
export const countOpenBatches: Statement<{ namespace: string; limit: number }, number> = {
  name: "count_open_batches",
  sql: (schema) => `
    SELECT count(*)::integer AS count FROM (
      SELECT FROM ${schema}.batch WHERE namespace = $1 AND state IN ('filling', 'open') LIMIT $2
    ) counted`,
  values: ({ namespace, limit }) => [namespace, limit],
  read: (row) => Number(row.count),
};
