import type { BootId, EpochMs, Leadership, Term } from "@tickwheel/core";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface TakeTerm {
  candidate: BootId;
  seen: Term;
  asOf: EpochMs | null;
}

const [p, values] = parameters<TakeTerm>()({
  candidate: typed("bigint", ({ candidate }) => candidate),
  term: typed("bigint", ({ seen }) => seen.term),
  holder: typed("bigint", ({ seen }) => seen.holder),
  beat: typed("bigint", ({ seen }) => seen.beat),
  asOf,
});

/**
 * Takes the next term by compare-and-set on the whole row, and writes its event. No row: somebody was faster, and
 * nothing is written.
 */
export const takeTerm: Statement<TakeTerm, Leadership> = {
  name: "take_term",
  sql: (schema) => `
    WITH taken AS (
      UPDATE ${schema}.term SET term = term + 1, holder = ${p.candidate}, beat = 0
       WHERE term = ${p.term} AND holder IS NOT DISTINCT FROM ${p.holder} AND beat = ${p.beat}
      RETURNING term, holder
    ),
    told AS (
      INSERT INTO ${schema}.cluster_event (at, kind, boot_id, label, name, facts)
      SELECT ${now(p.asOf)}, 'TERM', taken.holder, n.label, n.name,
             jsonb_build_object('term', taken.term, 'before',
               CASE WHEN ${p.holder} IS NOT NULL THEN jsonb_build_object('bootId', ${p.holder}::text, 'label', b.label) END)
        FROM taken
        LEFT JOIN ${schema}.node n ON n.boot_id = taken.holder
        LEFT JOIN ${schema}.node b ON b.boot_id = ${p.holder}
    )
    SELECT term::float8 AS term, holder::text AS holder FROM taken`,
  values,
  read: (row) => ({ term: Number(row.term), holder: row.holder as string }),
};
