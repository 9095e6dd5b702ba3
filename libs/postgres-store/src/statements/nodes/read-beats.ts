import type { NodeBeat, NodeVitals } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * The beats of all nodes that have a heartbeat row, and whether a session holds the lock of each [lost-session]. The
 * two halves of a boot id are where Postgres shows the number of an advisory lock.
 */
export const readBeats: Statement<null, NodeBeat> = {
  name: "read_beats",
  sql: (schema) => `
    WITH held AS MATERIALIZED (
      SELECT (l.classid::bigint << 32) | l.objid::bigint AS boot_id FROM pg_locks l
       WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    SELECT h.boot_id::text AS boot_id, n.label, h.beat::float8 AS beat, h.vitals::text AS vitals,
           EXISTS (SELECT FROM held l WHERE l.boot_id = h.boot_id) AS is_held, date_part('epoch', pg_postmaster_start_time())::text AS server
      FROM ${schema}.heartbeat h JOIN ${schema}.node n ON n.boot_id = h.boot_id`,
  values: () => [],
  read: (row) => ({
    bootId: row.boot_id as string,
    label: row.label as string,
    beat: Number(row.beat),
    vitals: JSON.parse(row.vitals as string) as NodeVitals,
    session: { isHeld: row.is_held as boolean, server: row.server as string },
  }),
};
