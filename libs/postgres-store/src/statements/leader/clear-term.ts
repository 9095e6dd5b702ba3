import type { Leadership } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Leaves a term without a holder, if it is still held. */
export const clearTerm: Statement<Leadership, never> = {
  name: "clear_term",
  sql: (schema) => `UPDATE ${schema}.term SET holder = NULL WHERE term = $1::bigint AND holder = $2::bigint`,
  values: ({ term, holder }) => [term, holder],
  read: (row) => row as never,
};
