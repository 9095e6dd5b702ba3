import type { Statement } from "../../connection/session.js";

/** Waits until this transaction is the only one that makes types in the namespace; the lock goes with it. */
export const lockTypes: Statement<string, true> = {
  name: "lock_types",
  sql: (schema) => `SELECT pg_advisory_xact_lock(hashtextextended('types ${schema} ' || $1, 0))`,
  values: (namespace) => [namespace],
  read: () => true,
};
