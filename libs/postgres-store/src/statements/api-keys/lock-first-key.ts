import type { Statement } from "../../connection/session.js";

/**
 * Lets one transaction at a time make the first API key. It is a separate statement: the next one takes a new snapshot,
 * which shows what the transaction waited for has committed.
 */
export const lockFirstKey: Statement<null, null> = {
  name: "lock_first_key",
  sql: (schema) => `SELECT pg_advisory_xact_lock(hashtextextended('tickwheel first key of ${schema}', 0))`,
  values: () => [],
  read: () => null,
};
