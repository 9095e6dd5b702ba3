import type { BootId, Leadership, Term } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Takes the next term by compare-and-set on the whole row. No row: somebody was faster. */
export const takeTerm: Statement<{ candidate: BootId; seen: Term }, Leadership> = {
  name: "take_term",
  sql: (schema) => `
    UPDATE ${schema}.term SET term = term + 1, holder = $1::bigint, beat = 0
     WHERE term = $2::bigint AND holder IS NOT DISTINCT FROM $3::bigint AND beat = $4::bigint
    RETURNING term::float8 AS term, holder::text AS holder`,
  values: ({ candidate, seen }) => [candidate, seen.term, seen.holder, seen.beat],
  read: (row) => ({ term: Number(row.term), holder: row.holder as string }),
};
