import type { EpochMs } from "@tickwheel/core";
import type { CodeContent, KnownAnnouncement } from "@tickwheel/schedules";
import { epochMs, now, span } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/** The live nodes. */
const LIVE = (schema: QuotedSchema): string =>
  `SELECT boot_id, joined_at FROM ${schema}.node WHERE state IN ('live', 'draining')`;

/**
 * Takes nodes that are no more from the announcements, and notes until when they have announced: rows that others have
 * locked are left for the next time. Plan: all announcements and all nodes.
 */
export const leaveAnnouncements: Statement<null, never> = {
  name: "leave_announcements",
  sql: (schema) => `
    WITH left_behind AS MATERIALIZED (
      SELECT a.ctid, a.boot_ids FROM ${schema}.schedule_announcement a
       WHERE EXISTS (SELECT FROM unnest(a.boot_ids) b (id) WHERE NOT EXISTS (SELECT FROM (${LIVE(schema)}) n WHERE n.boot_id = b.id))
         FOR UPDATE SKIP LOCKED
    )
    UPDATE ${schema}.schedule_announcement a
       SET boot_ids = ARRAY (SELECT b.id FROM unnest(l.boot_ids) b (id) JOIN (${LIVE(schema)}) n ON n.boot_id = b.id),
           left_at = greatest(a.left_at, (SELECT max(n.ended_at) FROM ${schema}.node n WHERE n.boot_id = ANY (l.boot_ids)))
      FROM left_behind l WHERE a.ctid = l.ctid`,
  values: () => [],
  read: (row) => row as never,
};

/** Deletes what no node announces and none has announced for long. Plan: all announcements. */
export const forgetAnnouncements: Statement<{ afterMs: number; asOf: EpochMs | null }, never> = {
  name: "forget_announcements",
  sql: (schema) => `
    DELETE FROM ${schema}.schedule_announcement WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM ${schema}.schedule_announcement
       WHERE boot_ids = '{}' AND left_at < (SELECT ${now("$1")} - ${span("$2")}) FOR UPDATE SKIP LOCKED
    ))`,
  values: ({ afterMs, asOf }) => [asOf, afterMs],
  read: (row) => row as never,
};

/** What nodes announce, by name and hash. Plan: all announcements and all nodes. */
export const knownAnnouncements: Statement<{ asOf: EpochMs | null }, KnownAnnouncement> = {
  name: "known_announcements",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    SELECT a.namespace, a.name, a.application, a.hash, a.content::text AS content, ${epochMs("a.first_seen_at")} AS first_seen_at,
           (SELECT ${epochMs("clock.now - min(n.joined_at)")} FROM (${LIVE(schema)}) n WHERE n.boot_id = ANY (a.boot_ids)) AS live_ms
      FROM clock CROSS JOIN ${schema}.schedule_announcement a
     ORDER BY a.namespace, a.name, a.application, a.first_seen_at, a.hash`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    namespace: row.namespace as string,
    name: row.name as string,
    application: row.application as string,
    hash: row.hash as string,
    content: JSON.parse(row.content as string) as CodeContent,
    firstSeenAt: readInstant(row.first_seen_at),
    liveForMs: row.live_ms === null ? null : Math.max(0, readInstant(row.live_ms)),
  }),
};
