import { MAX_LOOKED_UNSEEN, MAX_TOLD_UNSEEN, MAX_UNSEEN_NAMESPACES, type UnseenDead } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { OTHERS } from "../../sql/dead-sql.js";
import { wholeMs } from "../../sql/sql-fragments.js";

/** How many types with such causes are looked at. */
const MAX_LOOKED_TYPES = 1_000;

/** The condition of the index. */
const UNSEEN = `g.is_unseen AND g.print <> ${OTHERS}`;

/**
 * The causes of dead tasks that nobody has looked at, by namespace: see {@link UnseenDead}.
 *
 * Plan: an index holds these causes and no others. It is walked from one type to the next, by a probe each; of each
 * type its first entries are read.
 */
export const unseenDead: Statement<null, UnseenDead> = {
  name: "unseen_dead",
  sql: (schema) => `
    WITH RECURSIVE types AS (
      (SELECT first.type_id, 1 AS step FROM (${nextType(schema, "")}) first)
      UNION ALL
      SELECT n.type_id, k.step + 1 FROM types k CROSS JOIN LATERAL (${nextType(schema, " AND g.type_id > k.type_id")}) n
       WHERE k.step < ${MAX_LOOKED_TYPES}
    ),
    placed AS MATERIALIZED (
      SELECT y.namespace, y.type, u.*, row_number() OVER (PARTITION BY y.namespace ORDER BY u.first_at DESC, u.type_id, u.print) AS nth
        FROM types k JOIN ${schema}.type y ON y.id = k.type_id
       CROSS JOIN LATERAL (
         SELECT g.*, row_number() OVER (ORDER BY g.first_at DESC) AS nth_of_type FROM ${schema}.dead_group g
          WHERE ${UNSEEN} AND g.type_id = k.type_id
          ORDER BY g.first_at DESC LIMIT ${MAX_LOOKED_UNSEEN + 1}) u
    )
    SELECT s.namespace, count(*)::integer AS count, bool_or(s.nth_of_type > ${MAX_LOOKED_UNSEEN}) AS is_at_least,
           json_agg(json_build_object(
             'typeId', s.type_id, 'type', s.type, 'print', s.print, 'title', s.title, 'count', s.count,
             'lastAt', ${wholeMs("s.last_at")}, 'seenAt', ${wholeMs("s.seen_at")}
           ) ORDER BY s.nth) FILTER (WHERE s.nth <= ${MAX_TOLD_UNSEEN})::text AS groups
      FROM placed s GROUP BY s.namespace ORDER BY s.namespace LIMIT ${MAX_UNSEEN_NAMESPACES}`,
  values: () => [],
  read: (row) => ({
    namespace: row.namespace as string,
    count: Number(row.count),
    isAtLeast: row.is_at_least as boolean,
    groups: JSON.parse(row.groups as string) as UnseenDead["groups"],
  }),
};

function nextType(schema: QuotedSchema, behind: string): string {
  return `SELECT g.type_id FROM ${schema}.dead_group g WHERE ${UNSEEN}${behind}
                 ORDER BY g.type_id LIMIT 1`;
}
