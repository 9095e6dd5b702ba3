import type { Statement } from "../../connection/session.js";

/** Makes the key with this hash the administrator of a namespace, unless a key exists. Answers a row if it did. */
export const addFirstKey: Statement<{ hash: string; namespace: string }, true> = {
  name: "add_first_key",
  sql: (schema) => `
    INSERT INTO ${schema}.api_key (hash, namespace, role, cluster, is_first)
    SELECT $1, $2, 'admin', true, true WHERE NOT EXISTS (SELECT FROM ${schema}.api_key)
    RETURNING id`,
  values: ({ hash, namespace }) => [hash, namespace],
  read: () => true,
};
