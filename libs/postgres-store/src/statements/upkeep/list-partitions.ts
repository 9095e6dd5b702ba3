import type { Statement } from "../../connection/session.js";

/** Names of the partitions of `history` and `journal`. */
export const listPartitions: Statement<null, string> = {
  name: "list_partitions",
  sql: (schema) => `
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN ('${schema}.history'::regclass, '${schema}.journal'::regclass)`,
  values: () => [],
  read: (row) => row.name as string,
};
