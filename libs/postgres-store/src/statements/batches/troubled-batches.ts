import {
  type BatchTrouble,
  type EpochMs,
  MAX_COUNTED_TROUBLED,
  MAX_TROUBLED_NAMES,
  MAX_TROUBLED_NAMESPACES,
  OVERDUE_TOLD_FOR_MS,
  type TroubledBatch,
  type TroubledBatches,
  UNSEALED_AFTER_MS,
} from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { now, span, wholeMs } from "../../sql/sql-fragments.js";

/** Namespaces with such batches that are looked at, for each kind of trouble; most of them may have old ones only. */
const MAX_LOOKED_NAMESPACES = 1_000;
/** How many overdue batches of a namespace are looked at, the latest first: what was settled since is left out. */
const MAX_LOOKED_BATCHES = 500;

/** Each is the condition of an index, which begins with the namespace. */
const OVERDUE = `b.state <> 'cancelled' AND (b.leftovers ->> 'count')::bigint > 0`;
const UNSEALED = `b.state = 'filling'`;

/**
 * Batches that need somebody, by trouble and namespace: see {@link TroubledBatches}.
 *
 * Plan: for each trouble an index holds its batches and no others. It is walked from one namespace to the next, by a
 * probe each; in a namespace a short range is read. Neither members nor tallies are.
 */
export const troubledBatches: Statement<{ asOf: EpochMs | null }, TroubledBatches> = {
  name: "troubled_batches",
  sql: (schema) => `
    WITH RECURSIVE clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    overdue AS (${namespacesWith(schema, "overdue", OVERDUE)}),
    unsealed AS (${namespacesWith(schema, "unsealed", UNSEALED)})
    (SELECT 'OVERDUE' AS trouble, k.namespace, c.* FROM overdue k CROSS JOIN LATERAL (
       ${tellOf(`
         SELECT s.*, s.deadline_at AS at, row_number() OVER (ORDER BY s.deadline_checked_at DESC, s.id) AS place
           FROM (SELECT b.* FROM ${schema}.batch b
                  WHERE ${OVERDUE} AND b.namespace = k.namespace
                    AND b.deadline_checked_at > (SELECT clock.now - ${span(`${OVERDUE_TOLD_FOR_MS}`)} FROM clock)
                  ORDER BY b.deadline_checked_at DESC LIMIT ${MAX_LOOKED_BATCHES}) s
          WHERE s.succeeded < s.total`)}
     ) c WHERE c.count > 0 ORDER BY k.namespace LIMIT ${MAX_TROUBLED_NAMESPACES})
    UNION ALL
    (SELECT 'UNSEALED', k.namespace, c.* FROM unsealed k CROSS JOIN LATERAL (
       ${tellOf(`
         SELECT b.*, b.created_at AS at, row_number() OVER (ORDER BY b.created_at, b.id) AS place
           FROM ${schema}.batch b
          WHERE ${UNSEALED} AND b.namespace = k.namespace
            AND b.created_at <= (SELECT clock.now - ${span(`${UNSEALED_AFTER_MS}`)} FROM clock)`)}
     ) c WHERE c.count > 0 ORDER BY k.namespace LIMIT ${MAX_TROUBLED_NAMESPACES})`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    trouble: row.trouble as BatchTrouble,
    namespace: row.namespace as string,
    count: Number(row.count),
    batches: JSON.parse(row.batches as string) as TroubledBatch[],
  }),
};

/** The namespaces with such batches, in order. */
function namespacesWith(schema: QuotedSchema, name: string, is: string): string {
  const next = (behind: string): string => `SELECT b.namespace FROM ${schema}.batch b WHERE ${is}${behind}
                  ORDER BY b.namespace LIMIT 1`;
  return `
      (SELECT first.namespace, 1 AS place FROM (${next("")}) first)
      UNION ALL
      SELECT n.namespace, k.place + 1 FROM ${name} k CROSS JOIN LATERAL (${next(" AND b.namespace > k.namespace")}) n
       WHERE k.place < ${MAX_LOOKED_NAMESPACES}`;
}

/** How many batches there are, and the first of them, by their `place`. */
function tellOf(found: string): string {
  return `SELECT count(*)::integer AS count,
              coalesce(json_agg(json_build_object(
                'id', r.id, 'name', r.name, 'at', ${wholeMs("r.at")}, 'isComplete', r.state = 'complete',
                'left', coalesce((r.leftovers ->> 'count')::bigint, 0), 'missing', r.total - r.succeeded,
                'total', r.total, 'onComplete', r.on_complete ->> 'type'
              ) ORDER BY r.place) FILTER (WHERE r.place <= ${MAX_TROUBLED_NAMES}), '[]')::text AS batches
         FROM (${found}
         ORDER BY place LIMIT ${MAX_COUNTED_TROUBLED + 1}) r`;
}
