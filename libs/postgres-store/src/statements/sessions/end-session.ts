import type { Statement } from "../../connection/session.js";

/** Deletes a session. */
export const endSession: Statement<{ hash: string }, null> = {
  name: "end_session",
  sql: (schema) => `DELETE FROM ${schema}.session WHERE hash = $1`,
  values: ({ hash }) => [hash],
  read: () => null,
};
