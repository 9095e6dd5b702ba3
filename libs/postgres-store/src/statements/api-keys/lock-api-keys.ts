import type { ApiKeyRecord, ApiKeyRef, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readApiKeyRecord, recordFields, works } from "../../sql/api-key-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, now } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

/** A key under lock, and the instant of the look. */
export interface LockedApiKey {
  key: ApiKeyRecord;
  at: EpochMs;
}

interface LockApiKeys extends ApiKeyRef {
  asOf: EpochMs | null;
}

const [p, values] = parameters<LockApiKeys>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  namespace: typed("text", ({ namespace }) => namespace),
});

/**
 * Locks the key that is to be changed and all administrators' keys of its namespace that work, in the order of their
 * ids: so those who change administrators' keys come one after the other, and never wait for each other in a circle.
 * The answer is what the rows hold under the lock: Postgres looks again at each row that it has waited for, and leaves
 * out an administrator's key that works no more.
 *
 * Plan: the range of the namespace in the index of lists.
 */
export const lockApiKeys: Statement<LockApiKeys, LockedApiKey> = {
  name: "lock_api_keys",
  sql: (schema) => `
    SELECT ${recordFields(`(SELECT ${now(p.asOf)})`)}, ${epochMs(`(SELECT ${now(p.asOf)})`)} AS at FROM ${schema}.api_key k
     WHERE k.namespace = ${p.namespace}
       AND (k.id = ${p.id} OR (k.role = 'admin' AND ${works(`(SELECT ${now(p.asOf)})`)}))
     ORDER BY k.id FOR NO KEY UPDATE`,
  values,
  read: (row) => ({ key: readApiKeyRecord(row), at: readInstant(row.at) }),
};
