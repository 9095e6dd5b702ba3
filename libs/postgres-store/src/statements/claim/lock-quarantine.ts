import type { Statement } from "../../connection/session.js";

/**
 * Waits for whoever enters the quarantine just now: what the next statement of the transaction sees of it is true until
 * the commit.
 */
export const lockQuarantine: Statement<null, never> = {
  name: "lock_quarantine",
  sql: (schema) => `SELECT FROM ${schema}.quarantine FOR UPDATE`,
  values: () => [],
  read: (row) => row as never,
};
