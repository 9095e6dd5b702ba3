import type { Statement } from "../session.js";

/** Whether there is any API key. */
export const hasApiKeys: Statement<null, boolean> = {
  name: "has_api_keys",
  sql: (schema) => `SELECT EXISTS (SELECT FROM ${schema}.api_key) AS found`,
  values: () => [],
  read: (row) => row.found as boolean,
};
