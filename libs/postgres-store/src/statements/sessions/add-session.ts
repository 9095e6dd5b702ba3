import type { EpochMs, SessionLimits } from "@tickwheel/core";
import { epochMs, now, span } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

export interface AddSession extends SessionLimits {
  hash: string;
  keyId: string;
  asOf: EpochMs | null;
}

/**
 * Makes a session, and ends the oldest ones of its key so that there are no more than may be. Needs the lock of
 * `lockSessionKey`: two at once would both leave room for themselves alone.
 */
export const addSession: Statement<AddSession, { id: string; endsAt: EpochMs }> = {
  name: "add_session",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    ended AS (
      DELETE FROM ${schema}.session WHERE key_id = $3::uuid AND id NOT IN (
        SELECT id FROM ${schema}.session WHERE key_id = $3::uuid AND over_at > (SELECT now FROM clock)
         ORDER BY created_at DESC, id DESC LIMIT $6::int - 1)
    )
    INSERT INTO ${schema}.session AS s (hash, key_id, created_at, ends_at, over_at)
    SELECT $2, $3::uuid, now, now + ${span("$4")}, now + least(${span("$4")}, ${span("$5")}) FROM clock
    RETURNING s.id::text AS id, ${epochMs("s.ends_at")} AS ends_at`,
  values: ({ hash, keyId, sessionMs, sessionIdleMs, sessionsPerKey, asOf }) => [
    asOf,
    hash,
    keyId,
    sessionMs,
    sessionIdleMs,
    sessionsPerKey,
  ],
  read: (row) => ({ id: row.id as string, endsAt: readInstant(row.ends_at) }),
};
