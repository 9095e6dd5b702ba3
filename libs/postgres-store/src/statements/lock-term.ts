import type { Leadership } from "@tickwheel/core";
import type { Statement } from "../session.js";

/**
 * The last statement of a leader's transaction: holds the term row until the commit, so that no other term can begin before it. No row:
 * this leadership is over, and the transaction must be rolled back.
 */
export const lockTerm: Statement<Leadership, true> = {
  name: "lock_term",
  sql: (schema) => `SELECT true AS held FROM ${schema}.term WHERE term = $1::bigint AND holder = $2::bigint FOR SHARE`,
  values: ({ term, holder }) => [term, holder],
  read: () => true,
};
