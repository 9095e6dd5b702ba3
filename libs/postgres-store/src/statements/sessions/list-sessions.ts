import type { EndedSession, EpochMs, PageSessionRecord, Role, SessionFilter } from "@tickwheel/core";
import type { RawRow, Statement } from "../../connection/session.js";
import { works } from "../../sql/api-key-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, now } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

interface AsOf {
  asOf: EpochMs | null;
}

const [p, values] = parameters<SessionFilter & AsOf>()({
  asOf,
  namespace: typed("text", ({ namespace }) => namespace),
  before: typed("uuid", ({ before }) => before),
  limit: typed("integer", ({ limit }) => limit),
});

/** The fields of a session `s` and its key `k`. */
const RECORD_FIELDS = `s.id::text AS id, k.id::text AS key_id, k.name, k.prefix, k.role, ${["created_at", "used_at", "ends_at"].map((name) => `${epochMs(`s.${name}`)} AS ${name}`).join(", ")}`;

/**
 * A page of the live sessions of a namespace, the newest first: their ids rise with time. Plan: the keys of the
 * namespace, and the few sessions of each by the index of keys.
 */
export const listSessions: Statement<SessionFilter & AsOf, PageSessionRecord> = {
  name: "list_sessions",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now)
    SELECT ${RECORD_FIELDS} FROM clock, ${schema}.api_key k JOIN ${schema}.session s ON s.key_id = k.id
     WHERE k.namespace = ${p.namespace} AND ${works("clock.now")} AND s.over_at > clock.now
       AND (${p.before} IS NULL OR s.id < ${p.before})
     ORDER BY s.id DESC LIMIT ${p.limit}`,
  values,
  read: readRecord,
};

interface EndSessionById extends AsOf {
  namespace: string;
  id: string;
}

const [e, valuesOfEnd] = parameters<EndSessionById>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  namespace: typed("text", ({ namespace }) => namespace),
});

/** Deletes a live session of a namespace, and answers what it was. Plan: a probe of two primary keys. */
export const endSessionById: Statement<EndSessionById, EndedSession & { at: EpochMs }> = {
  name: "end_session_by_id",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(e.asOf)} AS now)
    DELETE FROM ${schema}.session s USING clock, ${schema}.api_key k
     WHERE s.id = ${e.id} AND k.id = s.key_id AND k.namespace = ${e.namespace}
       AND ${works("clock.now")} AND s.over_at > clock.now
    RETURNING ${RECORD_FIELDS}, s.hash, ${epochMs("clock.now")} AS at`,
  values: valuesOfEnd,
  read: (row) => ({ session: readRecord(row), hash: row.hash as string, at: readInstant(row.at) }),
};

function readRecord(row: RawRow): PageSessionRecord {
  return {
    id: row.id as string,
    keyId: row.key_id as string,
    keyName: row.name as string | null,
    keyPrefix: row.prefix as string | null,
    role: row.role as Role,
    createdAt: readInstant(row.created_at),
    usedAt: readInstant(row.used_at),
    endsAt: readInstant(row.ends_at),
  };
}
