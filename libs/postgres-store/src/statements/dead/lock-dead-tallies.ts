import type { Statement } from "../../connection/session.js";

/** Whether there is anything to fold. Plan: the first row of the tallies. */
export const hasDeadTallies: Statement<null, boolean> = {
  name: "has_dead_tallies",
  sql: (schema) => `SELECT EXISTS (SELECT FROM ${schema}.dead_tally) AS has`,
  values: () => [],
  read: (row) => row.has as boolean,
};

/** Whether this transaction is now the only one that folds dead letters in this schema; the lock goes with it. */
export const lockDeadTallies: Statement<null, boolean> = {
  name: "lock_dead_tallies",
  sql: (schema) => `SELECT pg_try_advisory_xact_lock(hashtextextended('dead tallies ${schema}', 0)) AS locked`,
  values: () => [],
  read: (row) => row.locked as boolean,
};
