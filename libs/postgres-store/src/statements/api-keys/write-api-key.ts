import type { ApiKeyRecord, EpochMs, NewApiKey } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readApiKeyRecord, recordFields } from "../../sql/api-key-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { instant, now } from "../../sql/sql-fragments.js";

interface AddApiKey extends NewApiKey {
  /** Null: any. */
  id: string | null;
  actor: string;
  asOf: EpochMs | null;
}

const [a, valuesOfNew] = parameters<AddApiKey>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  namespace: typed("text", ({ namespace }) => namespace),
  name: typed("text", ({ name }) => name),
  hash: typed("text", ({ hash }) => hash),
  prefix: typed("text", ({ prefix }) => prefix),
  role: typed("text", ({ role }) => role),
  cluster: typed("boolean", ({ cluster }) => cluster),
  rights: typed("text[]", ({ rights }) => rights),
  types: typed("text[]", ({ types }) => types),
  expiresAt: typed("float8", ({ expiresAt }) => expiresAt),
  actor: typed("text", ({ actor }) => actor),
});

/** Makes a key. No row: a key of the namespace that is neither revoked nor replaced has its name. */
export const addApiKey: Statement<AddApiKey, ApiKeyRecord> = {
  name: "add_api_key",
  sql: (schema) => `
    INSERT INTO ${schema}.api_key AS k (id, namespace, name, hash, prefix, role, cluster, rights, types, expires_at, created_by, created_at)
    SELECT coalesce(${a.id}, gen_random_uuid()), ${a.namespace}, ${a.name}, ${a.hash}, ${a.prefix}, ${a.role}, ${a.cluster}, ${a.rights}, ${a.types}, ${instant(a.expiresAt)}, ${a.actor}, ${now(a.asOf)}
    ON CONFLICT (namespace, name) WHERE revoked_at IS NULL AND replaced_by IS NULL DO NOTHING
    RETURNING ${recordFields("k.created_at")}`,
  values: valuesOfNew,
  read: readApiKeyRecord,
};

/** What of a key may ever change, as it is to be. */
export interface WriteApiKey extends Pick<
  ApiKeyRecord,
  "id" | "name" | "types" | "expiresAt" | "revokedAt" | "revokedBy" | "replacedBy"
> {
  /** When it is written. */
  at: EpochMs;
}

const [w, valuesOfChange] = parameters<WriteApiKey>()({
  at: typed("float8", ({ at }) => at),
  id: typed("uuid", ({ id }) => id),
  name: typed("text", ({ name }) => name),
  types: typed("text[]", ({ types }) => types),
  expiresAt: typed("float8", ({ expiresAt }) => expiresAt),
  revokedAt: typed("float8", ({ revokedAt }) => revokedAt),
  revokedBy: typed("text", ({ revokedBy }) => revokedBy),
  replacedBy: typed("uuid", ({ replacedBy }) => replacedBy),
});

/** Writes a key that the transaction has locked. Plan: one probe of the primary key. */
export const writeApiKey: Statement<WriteApiKey, ApiKeyRecord> = {
  name: "write_api_key",
  sql: (schema) => `
    UPDATE ${schema}.api_key k
       SET name = ${w.name}, types = ${w.types}, expires_at = ${instant(w.expiresAt)}, revoked_at = ${instant(w.revokedAt)},
           revoked_by = ${w.revokedBy}, replaced_by = ${w.replacedBy}
     WHERE k.id = ${w.id}
    RETURNING ${recordFields(instant(w.at))}`,
  values: valuesOfChange,
  read: readApiKeyRecord,
};
