import type { Leadership } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/**
 * The last statement of a leader's transaction: it holds the term row until the commit, so no other term can begin
 * before that. No row: this leadership is over, and the transaction must be rolled back.
 */
export const lockTerm: Statement<Leadership, true> = {
  name: "lock_term",
  sql: (schema) => `SELECT true AS held FROM ${schema}.term WHERE term = $1::bigint AND holder = $2::bigint FOR SHARE`,
  values: ({ term, holder }) => [term, holder],
  read: () => true,
};

/**
 * The same as a part of a statement that changes rows: it locks the term once all rows of `after` are found, if there
 * are any. No row: this leadership is over, or there is nothing to change.
 */
export function termHeld(
  schema: QuotedSchema,
  { after, term, holder }: { after: string; term: string; holder: string },
): string {
  return `
      SELECT true AS held FROM ${schema}.term
       WHERE term = ${term}::bigint AND holder = ${holder}::bigint AND (SELECT count(*) FROM ${after}) > 0 FOR SHARE`;
}
