import type { Leadership } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Raises the beat of a term that is still held. */
export const keepTerm: Statement<Leadership, true> = {
  name: "keep_term",
  sql: (schema) => `
    UPDATE ${schema}.term SET beat = beat + 1 WHERE term = $1::bigint AND holder = $2::bigint RETURNING true AS kept`,
  values: ({ term, holder }) => [term, holder],
  read: () => true,
};
