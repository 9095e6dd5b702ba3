import type { EpochMs, SessionLimits } from "@tickwheel/core";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, now, span } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

export interface AddSession extends SessionLimits {
  /** UUIDv7, by which sessions are listed. */
  id: string;
  hash: string;
  keyId: string;
  asOf: EpochMs | null;
}

const [p, values] = parameters<AddSession>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  hash: ({ hash }) => hash,
  keyId: typed("uuid", ({ keyId }) => keyId),
  sessionMs: ({ sessionMs }) => sessionMs,
  sessionIdleMs: ({ sessionIdleMs }) => sessionIdleMs,
  sessionsPerKey: typed("int", ({ sessionsPerKey }) => sessionsPerKey),
});

/**
 * Makes a session, and ends the oldest ones of its key so that there are no more than may be. Needs the lock of
 * `lockSessionKey`: two at once would both leave room for themselves alone.
 */
export const addSession: Statement<AddSession, { id: string; endsAt: EpochMs }> = {
  name: "add_session",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    ended AS (
      DELETE FROM ${schema}.session WHERE key_id = ${p.keyId} AND id NOT IN (
        SELECT id FROM ${schema}.session WHERE key_id = ${p.keyId} AND over_at > (SELECT now FROM clock)
         ORDER BY created_at DESC, id DESC LIMIT ${p.sessionsPerKey} - 1)
    )
    INSERT INTO ${schema}.session AS s (id, hash, key_id, created_at, used_at, ends_at, over_at)
    SELECT ${p.id}, ${p.hash}, ${p.keyId}, now, now, now + ${span(p.sessionMs)}, now + least(${span(p.sessionMs)}, ${span(p.sessionIdleMs)}) FROM clock
    RETURNING s.id::text AS id, ${epochMs("s.ends_at")} AS ends_at`,
  values,
  read: (row) => ({ id: row.id as string, endsAt: readInstant(row.ends_at) }),
};
