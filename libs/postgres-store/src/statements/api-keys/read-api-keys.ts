import type { ApiKeyFilter, ApiKeyRecord, ApiKeyRef, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readApiKeyRecord, recordFields, works } from "../../sql/api-key-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";

interface AsOf {
  asOf: EpochMs | null;
}

const [r, valuesOfOne] = parameters<ApiKeyRef & AsOf>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  namespace: typed("text", ({ namespace }) => namespace),
});

/** One key. Plan: one probe of the primary key. */
export const readApiKeyById: Statement<ApiKeyRef & AsOf, ApiKeyRecord> = {
  name: "read_api_key",
  sql: (schema) => `
    SELECT ${recordFields(`(SELECT ${now(r.asOf)})`)} FROM ${schema}.api_key k
     WHERE k.id = ${r.id} AND k.namespace = ${r.namespace}`,
  values: valuesOfOne,
  read: readApiKeyRecord,
};

const [l, valuesOfList] = parameters<ApiKeyFilter & AsOf>()({
  asOf,
  namespace: typed("text", ({ namespace }) => namespace),
  states: typed("text[]", ({ states }) => states),
  before: typed("uuid", ({ before }) => before),
  limit: typed("integer", ({ limit }) => limit),
});

/** A page of keys, the newest first. Plan: one backward range of the index of lists, of which a namespace has few. */
export const listApiKeys: Statement<ApiKeyFilter & AsOf, ApiKeyRecord> = {
  name: "list_api_keys",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(l.asOf)} AS now)
    SELECT ${recordFields("clock.now")} FROM clock, ${schema}.api_key k
     WHERE k.namespace = ${l.namespace}
       AND (${l.before} IS NULL OR (k.created_at, k.id) < (SELECT b.created_at, b.id FROM ${schema}.api_key b
             WHERE b.id = ${l.before} AND b.namespace = ${l.namespace}))
       AND (cardinality(${l.states}) = 0
         OR CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN ${works("clock.now")} THEN 'works' ELSE 'ended' END = ANY (${l.states}))
     ORDER BY k.created_at DESC, k.id DESC LIMIT ${l.limit}`,
  values: valuesOfList,
  read: readApiKeyRecord,
};

const [n, valuesOfNames] = parameters<{ namespace: string; names: readonly string[] }>()({
  namespace: typed("text", ({ namespace }) => namespace),
  names: typed("text[]", ({ names }) => names),
});

/** The ids of the keys of these names. Plan: one range of the index of lists, of which a namespace has few. */
export const apiKeyIdsByName: Statement<
  { namespace: string; names: readonly string[] },
  [name: string, ids: string[]]
> = {
  name: "api_key_ids_by_name",
  sql: (schema) => `
    SELECT k.name, array_agg(k.id::text ORDER BY k.id) AS ids FROM ${schema}.api_key k
     WHERE k.namespace = ${n.namespace} AND k.name = ANY (${n.names}) GROUP BY k.name`,
  values: valuesOfNames,
  read: (row) => [row.name as string, row.ids as string[]],
};
