import type { Statement } from "../../connection/session.js";

/** In SQL: see {@link readTimeline}. */
export const TIMELINE = `CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END`;

/**
 * The timeline that the server writes, in hexadecimal. It changes when a standby is promoted or a backup restored. Null
 * on a read-only server. The names of WAL files begin with it.
 */
export const readTimeline: Statement<Record<string, never>, string | null> = {
  name: "timeline",
  sql: () => `SELECT ${TIMELINE} AS timeline`,
  values: () => [],
  read: (row) => (row.timeline as string | null) ?? null,
};
