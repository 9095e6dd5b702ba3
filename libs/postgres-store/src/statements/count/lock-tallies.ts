import type { Statement } from "../../connection/session.js";

/**
 * Whether this transaction is now the only one that folds and recounts in this schema; the lock goes with it. Within
 * the transaction no plan is kept, so each statement reads its range of history in the cheapest way.
 */
export const lockTallies: Statement<null, boolean> = {
  name: "lock_tallies",
  isPrepared: false,
  sql: (schema) => `
    SELECT pg_try_advisory_xact_lock(hashtextextended('tallies ${schema}', 0)) AS locked,
           set_config('enable_bitmapscan', 'on', true) AS bitmapscan, set_config('enable_seqscan', 'on', true) AS seqscan,
           set_config('plan_cache_mode', 'force_custom_plan', true) AS plans`,
  values: () => [],
  read: (row) => row.locked as boolean,
};
