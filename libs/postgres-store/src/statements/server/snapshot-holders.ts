import type { EpochMs, SnapshotHolder } from "@tickwheel/core";
import type { RawRow, Statement } from "../../connection/session.js";
import { epochMs, now } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

/** How many characters of a session's statement are told. */
const MOST_CHARACTERS = 120;
/** How many holders are read, those that hold most first. */
const MOST_HOLDERS = 20;

/** One row, with a holder of which all is null where there is none. */
export interface SnapshotHolderRow {
  at: EpochMs;
  deadRows: number;
  holder: SnapshotHolder | null;
}

/**
 * Because of whom rows of this database that are dead are kept, oldest first. A vacuum keeps none, a logical slot only
 * those of the catalogs, and sessions of other databases none of this one's.
 *
 * A role without `pg_read_all_stats` sees who holds what, but of other roles' sessions neither the state nor the
 * statement nor since when. A transaction that has an id keeps rows since its beginning at the latest; one that runs a
 * statement without having an id, at least since that statement began. What a slot that nobody uses keeps has stood
 * still since its last use, which Postgres tells from 17 on.
 */
export const snapshotHolders: Statement<{ asOf: EpochMs | null }, SnapshotHolderRow> = {
  name: "snapshot_holders",
  sql: (schema) => `
    WITH holders AS (
      SELECT CASE WHEN a.datid IS NULL THEN 'standby' ELSE 'session' END AS kind, a.pid::text AS name,
             CASE WHEN age(a.backend_xid) > age(a.backend_xmin) THEN a.backend_xid
                  ELSE coalesce(a.backend_xmin, a.backend_xid) END AS horizon,
             CASE WHEN a.datid IS NULL THEN NULL
                  WHEN a.state = 'active' AND a.backend_xid IS NULL THEN a.query_start ELSE a.xact_start END AS since,
             nullif(a.application_name, '') AS application, a.usename AS "user", a.state,
             CASE WHEN a.state IS NOT NULL AND a.datid IS NOT NULL
                  THEN left(btrim(regexp_replace(left(a.query, 1000), '\\s+', ' ', 'g')), ${MOST_CHARACTERS}) END AS query,
             NULL::boolean AS is_active
        FROM pg_stat_activity a
       WHERE (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) AND a.pid <> pg_backend_pid()
         AND CASE WHEN a.datid IS NULL THEN EXISTS (SELECT FROM pg_stat_replication r WHERE r.pid = a.pid)
                  ELSE a.datid = (SELECT oid FROM pg_database WHERE datname = current_database())
                       AND a.leader_pid IS NULL
                       AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid) END
      UNION ALL
      SELECT 'prepared', gid, transaction, prepared, NULL, owner, NULL, NULL, NULL
        FROM pg_prepared_xacts WHERE database = current_database()
      UNION ALL
      SELECT 'slot', slot_name, xmin, CASE WHEN NOT active THEN (to_jsonb(s) ->> 'inactive_since')::timestamptz END,
             NULL, NULL, NULL, NULL, active
        FROM pg_replication_slots s WHERE xmin IS NOT NULL
    )
    SELECT ${epochMs(now("$1"))} AS at,
           (SELECT coalesce(sum(pg_stat_get_dead_tuples(oid)), 0) FROM pg_class
             WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace)::float8 AS dead_rows,
           h.kind, h.name, h.horizon::text AS horizon, age(h.horizon)::float8 AS transactions,
           ${epochMs("h.since")} AS since, h.application, h."user", h.state, h.query, h.is_active
      FROM (VALUES (1)) AS one LEFT JOIN (
        SELECT * FROM holders ORDER BY age(horizon) DESC, kind, name LIMIT ${MOST_HOLDERS}) h ON true
     ORDER BY transactions DESC, kind, name`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    at: readInstant(row.at),
    deadRows: Number(row.dead_rows),
    holder: row.kind === null ? null : readHolder(row),
  }),
};

function readHolder(row: RawRow): SnapshotHolder {
  return {
    kind: row.kind as SnapshotHolder["kind"],
    name: row.name as string,
    horizon: row.horizon as string,
    transactions: Number(row.transactions),
    since: row.since === null ? null : readInstant(row.since),
    application: row.application as string | null,
    user: row.user as string | null,
    state: row.state as string | null,
    query: row.query as string | null,
    isActive: row.is_active as boolean | null,
  };
}
