import type { ApiKey, ApiKeyRecord, ApiKeyRight, ApiKeyState, Role } from "@tickwheel/core";
import type { RawRow } from "../connection/session.js";
import { epochMs } from "./sql-fragments.js";
import { readInstant, readOptionalInstant } from "./task-rows.js";

/** The fields of `k` that the API goes by. */
export const API_KEY_FIELDS = `k.id::text AS id, k.namespace, k.role, k.cluster, k.rights, k.types, ${epochMs("k.expires_at")} AS expires_at`;

/** Whether the key `k` works. @param now the instant, an expression that does not change within the statement */
export function works(now: string): string {
  return `(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now}))`;
}

/** The fields of `k` that people are shown. @param now as of {@link works} */
export function recordFields(now: string): string {
  const state = `CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN ${works(now)} THEN 'works' ELSE 'ended' END`;
  const instants = ["created_at", "revoked_at", "used_at"].map((name) => `${epochMs(`k.${name}`)} AS ${name}`);
  return `${API_KEY_FIELDS}, k.name, k.prefix, ${state} AS state, k.created_by, k.revoked_by, k.replaced_by::text AS replaced_by, k.used_from, ${instants.join(", ")}`;
}

export function readApiKey(row: RawRow): ApiKey {
  return {
    id: row.id as string,
    namespace: row.namespace as string,
    role: row.role as Role,
    cluster: row.cluster as boolean,
    rights: row.rights as ApiKeyRight[],
    types: row.types as string[] | null,
    expiresAt: readOptionalInstant(row.expires_at),
  };
}

export function readApiKeyRecord(row: RawRow): ApiKeyRecord {
  return {
    ...readApiKey(row),
    name: row.name as string | null,
    prefix: row.prefix as string | null,
    state: row.state as ApiKeyState,
    createdAt: readInstant(row.created_at),
    createdBy: row.created_by as string,
    revokedAt: readOptionalInstant(row.revoked_at),
    revokedBy: row.revoked_by as string | null,
    replacedBy: row.replaced_by as string | null,
    usedAt: readOptionalInstant(row.used_at),
    usedFrom: row.used_from as string | null,
  };
}
