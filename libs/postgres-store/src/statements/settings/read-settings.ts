import type { EpochMs, Settings } from "@tickwheel/core";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { KEPT, limitMembers, untilMs } from "./setting-sql.js";

/**
 * All settings and their revision, in one statement, so of one moment: a reader never has older settings under a newer
 * revision [one-revision].
 *
 * Plan: the tables as a whole, which hold a row for each type, limit and pause.
 */
export const readSettings: Statement<{ asOf: EpochMs | null }, Settings> = {
  name: "read_settings",
  sql: (schema) => `
    SELECT r.timeline, r.number::float8 AS number,
           (SELECT json_agg(json_build_object('typeId', s.type_id, 'concurrency', s.concurrency, 'keepSucceededMs', s.keep_succeeded_ms,
                     'keepCancelledMs', s.keep_cancelled_ms, 'keepDeadMs', s.keep_dead_ms, 'changedAt', ${wholeMs("s.changed_at")}, 'changedBy', s.changed_by) ORDER BY s.type_id)
              FROM ${schema}.type_setting s)::text AS types,
           (SELECT json_agg(json_build_object('id', l.id, 'namespace', l.namespace, 'typeId', l.type_id, ${limitMembers("l")},
                     'changedAt', ${wholeMs("l.changed_at")}, 'changedBy', l.changed_by) ORDER BY l.id)
              FROM ${schema}.flow_limit l)::text AS limits,
           (SELECT json_agg(json_build_object('namespace', p.namespace, 'typeId', p.type_id, 'key', p.key, 'pausedAt', ${wholeMs("p.paused_at")},
                     'until', ${untilMs("p")}, 'reason', p.reason, 'pausedBy', p.paused_by) ORDER BY p.id)
              FROM ${schema}.pause p WHERE p.until_at > clock.now - ${KEPT})::text AS pauses
      FROM (SELECT ${now("$1")} AS now) clock CROSS JOIN ${schema}.revision r
     WHERE r.name = 'settings'`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    revision: { timeline: Number(row.timeline), number: Number(row.number) },
    types: JSON.parse((row.types as string | null) ?? "[]") as Settings["types"],
    limits: JSON.parse((row.limits as string | null) ?? "[]") as Settings["limits"],
    pauses: JSON.parse((row.pauses as string | null) ?? "[]") as Settings["pauses"],
  }),
};
