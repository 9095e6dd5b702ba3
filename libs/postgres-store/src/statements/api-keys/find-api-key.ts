import type { ApiKey, EpochMs, Role } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { readOptionalInstant } from "../../sql/task-rows.js";

/** The key with this hash, unless it has expired. */
export const findApiKey: Statement<{ hash: string; asOf: EpochMs | null }, ApiKey> = {
  name: "find_api_key",
  sql: (schema) => `
    SELECT ${API_KEY_FIELDS} FROM ${schema}.api_key k
     WHERE k.hash = $2 AND (k.expires_at IS NULL OR k.expires_at > (SELECT ${now("$1")}))`,
  values: ({ hash, asOf }) => [asOf, hash],
  read: readApiKey,
};

export const API_KEY_FIELDS = `k.id::text AS id, k.namespace, k.role, k.cluster, ${epochMs("k.expires_at")} AS expires_at`;

export function readApiKey(row: RawRow): ApiKey {
  return {
    id: row.id as string,
    namespace: row.namespace as string,
    role: row.role as Role,
    cluster: row.cluster as boolean,
    expiresAt: readOptionalInstant(row.expires_at),
  };
}
