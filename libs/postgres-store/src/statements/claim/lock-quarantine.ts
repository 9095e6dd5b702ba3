import type { Statement } from "../../connection/session.js";

/**
 * Locks the quarantine, after waiting for transactions that are entering it. What the transaction's next statement
 * reads of it stays true until the commit.
 */
export const lockQuarantine: Statement<null, never> = {
  name: "lock_quarantine",
  sql: (schema) => `SELECT FROM ${schema}.quarantine FOR UPDATE`,
  values: () => [],
  read: (row) => row as never,
};
