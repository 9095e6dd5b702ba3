import type { EpochMs, PauseSubject } from "@tickwheel/core";
import { instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface WritePause {
  subject: PauseSubject;
  /** The slot of the key; null: no key is paused. */
  slot: number | null;
  until: EpochMs | null;
  reason: string | null;
  actor: string;
  asOf: EpochMs | null;
}

/**
 * Pauses a subject, or changes its pause. The row of one that has just ended is used again; that of a key with its
 * beginning, so that what it paused and nobody has resumed yet is resumed at the end of this one. The transaction holds
 * the revision.
 */
export const writePause: Statement<WritePause, never> = {
  name: "write_pause",
  sql: (schema) => `
    INSERT INTO ${schema}.pause AS p (namespace, type_id, slot, key, paused_at, until_at, reason, paused_by)
    SELECT $2, $3::integer, $4::smallint, $5, clock.now, CASE WHEN $6::float8 IS NULL THEN 'infinity' ELSE greatest(clock.now, ${instant("$6")}) END, $7, $8
      FROM (SELECT ${now("$1")} AS now) clock
        ON CONFLICT (type_id, key, namespace)
        DO UPDATE SET paused_at = CASE WHEN p.key IS NULL AND p.until_at <= excluded.paused_at THEN excluded.paused_at ELSE p.paused_at END,
                      until_at = excluded.until_at, reason = excluded.reason, paused_by = excluded.paused_by`,
  values: ({ subject: { namespace, typeId, key }, slot, until, reason, actor, asOf }) => [
    asOf,
    namespace,
    typeId,
    slot,
    key,
    until,
    reason,
    actor,
  ],
  read: (row) => row as never,
};

/**
 * Ends the pause of a subject now. The row of a key's stays, with its end, for the look that resumes what was paused:
 * see `resumeEndedKeys`.
 */
export const endPause: Statement<PauseSubject & { asOf: EpochMs | null }, never> = {
  name: "end_pause",
  sql: (schema) => `
    WITH meant AS MATERIALIZED (
      SELECT id, key FROM ${schema}.pause
       WHERE namespace = $2 AND type_id IS NOT DISTINCT FROM $3::integer AND key IS NOT DISTINCT FROM $4
    ),
    deleted AS (DELETE FROM ${schema}.pause WHERE id = (SELECT id FROM meant WHERE key IS NULL))
    UPDATE ${schema}.pause SET until_at = ${now("$1")} WHERE id = (SELECT id FROM meant WHERE key IS NOT NULL)`,
  values: ({ namespace, typeId, key, asOf }) => [asOf, namespace, typeId, key],
  read: (row) => row as never,
};
