import type { Statement } from "../../connection/session.js";

/**
 * The timeline that the server writes, in hexadecimal. It changes when a standby is promoted or a backup restored. Null
 * on a read-only server. The names of WAL files begin with it.
 */
export const readTimeline: Statement<Record<string, never>, string | null> = {
  name: "timeline",
  sql: () => `SELECT CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`,
  values: () => [],
  read: (row) => (row.timeline as string | null) ?? null,
};
