import type { ApiKey } from "@tickwheel/core";
import type { Statement } from "../session.js";
import { API_KEY_FIELDS, readApiKey } from "./find-api-key.js";

/** Makes the key with this hash the administrator of a namespace with the right `cluster`; it never expires. */
export const ensureAdministrator: Statement<{ hash: string; namespace: string }, ApiKey> = {
  name: "ensure_administrator",
  sql: (schema) => `
    INSERT INTO ${schema}.api_key AS k (hash, namespace, role, cluster) VALUES ($1, $2, 'admin', true)
    ON CONFLICT (hash) DO UPDATE SET namespace = excluded.namespace, role = 'admin', cluster = true, expires_at = NULL
    RETURNING ${API_KEY_FIELDS}`,
  values: ({ hash, namespace }) => [hash, namespace],
  read: readApiKey,
};
