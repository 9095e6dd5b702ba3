import type { Term } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** The one row of terms. */
export const readTerm: Statement<null, Term> = {
  name: "read_term",
  sql: (schema) => `SELECT term::float8 AS term, holder::text AS holder, beat::float8 AS beat FROM ${schema}.term`,
  values: () => [],
  read: (row) => ({ term: Number(row.term), holder: row.holder as string | null, beat: Number(row.beat) }),
};
