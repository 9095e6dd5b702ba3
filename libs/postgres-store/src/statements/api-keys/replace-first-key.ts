import type { ApiKey } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { API_KEY_FIELDS, readApiKey } from "../../sql/api-key-rows.js";

/**
 * Makes the key with this hash the first administrator of a namespace; its other first keys expire. A first key that
 * has expired was replaced and stays so, and a revoked key stays revoked: the statement then changes nothing and
 * answers no row.
 */
export const replaceFirstKey: Statement<{ hash: string; namespace: string }, ApiKey> = {
  name: "replace_first_key",
  sql: (schema) => `
    WITH taken AS (
      INSERT INTO ${schema}.api_key AS k (hash, namespace, role, cluster, is_first) VALUES ($1, $2, 'admin', true, true)
      ON CONFLICT (hash) DO UPDATE
        SET namespace = excluded.namespace, role = 'admin', cluster = true, types = NULL, is_first = true,
            expires_at = CASE WHEN k.is_first THEN k.expires_at END
        WHERE k.revoked_at IS NULL AND NOT (k.is_first AND k.expires_at IS NOT NULL AND k.expires_at <= now())
      RETURNING ${API_KEY_FIELDS}
    ), replaced AS (
      UPDATE ${schema}.api_key SET expires_at = now()
       WHERE is_first AND (expires_at IS NULL OR expires_at > now()) AND namespace = $2 AND hash <> $1 AND EXISTS (SELECT FROM taken)
    )
    SELECT * FROM taken`,
  values: ({ hash, namespace }) => [hash, namespace],
  read: readApiKey,
};
