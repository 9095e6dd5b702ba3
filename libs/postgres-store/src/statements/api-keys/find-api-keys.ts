import type { ApiKey, EpochMs, Role } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { readOptionalInstant } from "../../sql/task-rows.js";

/** The unexpired keys with these hashes. Plan: one probe of the unique index per hash. */
export const findApiKeys: Statement<{ hashes: readonly string[]; asOf: EpochMs | null }, [hash: string, key: ApiKey]> =
  {
    name: "find_api_keys",
    sql: (schema) => `
    SELECT k.hash, ${API_KEY_FIELDS} FROM ${schema}.api_key k
     WHERE k.hash = ANY($2::text[]) AND (k.expires_at IS NULL OR k.expires_at > (SELECT ${now("$1")}))`,
    values: ({ hashes, asOf }) => [asOf, hashes],
    read: (row) => [row.hash as string, readApiKey(row)],
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
