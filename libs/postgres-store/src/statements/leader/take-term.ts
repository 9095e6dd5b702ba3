import type { BootId, EpochMs, Leadership, Term } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * Takes the next term by compare-and-set on the whole row, and writes its event. No row: somebody was faster, and
 * nothing is written.
 */
export const takeTerm: Statement<{ candidate: BootId; seen: Term; asOf: EpochMs | null }, Leadership> = {
  name: "take_term",
  sql: (schema) => `
    WITH taken AS (
      UPDATE ${schema}.term SET term = term + 1, holder = $1::bigint, beat = 0
       WHERE term = $2::bigint AND holder IS NOT DISTINCT FROM $3::bigint AND beat = $4::bigint
      RETURNING term, holder
    ),
    told AS (
      INSERT INTO ${schema}.cluster_event (at, kind, boot_id, label, name, facts)
      SELECT ${now("$5")}, 'TERM', taken.holder, n.label, n.name,
             jsonb_build_object('term', taken.term, 'before',
               CASE WHEN $3::bigint IS NOT NULL THEN jsonb_build_object('bootId', $3::bigint::text, 'label', b.label) END)
        FROM taken
        LEFT JOIN ${schema}.node n ON n.boot_id = taken.holder
        LEFT JOIN ${schema}.node b ON b.boot_id = $3::bigint
    )
    SELECT term::float8 AS term, holder::text AS holder FROM taken`,
  values: ({ candidate, seen, asOf }) => [candidate, seen.term, seen.holder, seen.beat, asOf],
  read: (row) => ({ term: Number(row.term), holder: row.holder as string }),
};
