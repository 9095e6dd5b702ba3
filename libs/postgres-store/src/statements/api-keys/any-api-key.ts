import type { Statement } from "../../connection/session.js";

/** A row if there is any API key at all. */
export const anyApiKey: Statement<null, true> = {
  name: "any_api_key",
  sql: (schema) => `SELECT true AS found FROM ${schema}.api_key LIMIT 1`,
  values: () => [],
  read: () => true,
};
