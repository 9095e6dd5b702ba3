import type { Statement } from "../../connection/session.js";

/** Whether this transaction is now the only one at maintenance of this schema; the lock goes with it. */
export const lockMaintenance: Statement<null, boolean> = {
  name: "lock_maintenance",
  sql: (schema) => `SELECT pg_try_advisory_xact_lock(hashtextextended('maintain ${schema}', 0)) AS locked`,
  values: () => [],
  read: (row) => row.locked as boolean,
};
