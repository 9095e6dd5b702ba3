import type { Statement } from "../../connection/session.js";

/**
 * Names of the partitions of `history` and `journal` that lack REPLICA IDENTITY FULL: if they were published, Postgres
 * would refuse to update or delete their rows.
 */
export const listUnidentified: Statement<null, string> = {
  name: "list_unidentified",
  sql: (schema) => `
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN ('${schema}.history'::regclass, '${schema}.journal'::regclass) AND c.relreplident <> 'f'`,
  values: () => [],
  read: (row) => row.name as string,
};
