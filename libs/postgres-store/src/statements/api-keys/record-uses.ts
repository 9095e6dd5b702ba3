import type { ApiKeyUse, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, listed, parameters, plain, rows } from "../../sql/parameters.js";
import { now, span } from "../../sql/sql-fragments.js";

interface RecordUses {
  uses: readonly ApiKeyUse[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<RecordUses>()({
  asOf,
  uses: rows(({ uses }) => uses, {
    id: plain("uuid", ({ id }: ApiKeyUse) => id),
    ago_ms: plain("float8", ({ agoMs }: ApiKeyUse) => agoMs),
    used_from: listed("text", ({ from }: ApiKeyUse) => from),
  }),
});

/**
 * Writes when and from where keys were used last. Where many nodes have seen a key within a minute, the first one
 * writes. Plan: one probe of the primary key per use.
 */
export const recordKeyUses: Statement<RecordUses, never> = {
  name: "record_key_uses",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    used AS MATERIALIZED (
      SELECT u.id, clock.now - ${span("u.ago_ms")} AS at, u.used_from
        FROM clock, unnest(${p.uses.arrays.join(", ")}) AS u (${p.uses.names})),
    due AS MATERIALIZED (
      SELECT k.id, used.at, used.used_from FROM used JOIN ${schema}.api_key k ON k.id = used.id
       WHERE k.used_at IS NULL OR k.used_at < used.at - interval '50 seconds'
       ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE ${schema}.api_key k SET used_at = due.at, used_from = due.used_from FROM due WHERE k.id = due.id`,
  values,
  read: (row) => row as never,
};

interface ForgetKeys {
  /** Keys that were revoked longer ago are forgotten, in days. */
  keptDays: number;
  /** At most this many. */
  limit: number;
  asOf: EpochMs | null;
}

/**
 * Forgets keys that were revoked long ago, and answers how many. First keys stay: one that was replaced never comes
 * back. Plan: a look at all keys, of which there are few.
 */
export const forgetApiKeys: Statement<ForgetKeys, number> = {
  name: "forget_api_keys",
  sql: (schema) => `
    WITH old AS MATERIALIZED (
      SELECT id FROM ${schema}.api_key
       WHERE revoked_at < (SELECT ${now("$1")} - $2::float8 * interval '1 day') AND NOT is_first
       LIMIT $3::integer FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM ${schema}.api_key k USING old WHERE k.id = old.id RETURNING 1)
    SELECT count(*)::integer AS count FROM gone`,
  values: ({ asOf: at, keptDays, limit }) => [at, keptDays, limit],
  read: (row) => Number(row.count),
};
