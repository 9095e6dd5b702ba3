import type { EpochMs } from "@tickwheel/core";
import { binOf } from "../../sql/buckets.js";
import { LATE_COLUMNS } from "../../sql/lateness-sql.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * The spans that tallies are folded into, and the age at which they are folded. The last minute's are not folded: they
 * are reported by the second. The last hour is told by minutes, a day by ten minutes, a week by hours.
 */
export const FOLDS = [
  { spanMinutes: 1, afterMinutes: 1.5 },
  { spanMinutes: 10, afterMinutes: 3 * 60 },
  { spanMinutes: 60, afterMinutes: 26 * 60 },
  { spanMinutes: 1_440, afterMinutes: 8 * 1_440 },
] as const;

export interface FoldTallies {
  fold: (typeof FOLDS)[number];
  /** At most this many rows. */
  limit: number;
  asOf: EpochMs | null;
}

const SPAN_MS = "$2::integer * 60000";
/** The columns of a tally that are added up. */
const COUNTS = [
  "created",
  "started",
  "failed",
  "dead",
  "succeeded",
  "skipped",
  "cancelled",
  "expired",
  "place_ms",
  ...LATE_COLUMNS,
];

/**
 * Folds tallies of shorter spans, by type. Answers how many rows were folded. Days are UTC days, as for the
 * partitions of history, so the counters of a dropped partition can be cleared exactly.
 *
 * Only spans that are over are folded, so each becomes one row. A row that comes late is folded the next time. Plan:
 * the oldest rows by the index on time.
 */
export const foldTallies: Statement<FoldTallies, number> = {
  name: "fold_tallies",
  sql: (schema) => `
    WITH gone AS (
      DELETE FROM ${schema}.tally WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ${schema}.tally
         WHERE span_minutes < $2::integer AND at < (SELECT ${binOf(`${now("$1")} - $3::float8 * interval '1 minute'`, SPAN_MS)}) ORDER BY at LIMIT $4
      )) RETURNING *, ${binOf("at", SPAN_MS)} AS begin
    ),
    sums AS (
      SELECT begin, type_id, ${COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ")}, max(latest_ms) AS latest_ms,
             (array_agg(last_error ORDER BY at DESC) FILTER (WHERE last_error IS NOT NULL))[1] AS last_error
        FROM gone GROUP BY begin, type_id
    ),
    late AS (
      SELECT begin, type_id, array_agg(ms ORDER BY ms) AS lateness_ms, array_agg(n ORDER BY ms) AS lateness_count
        FROM (SELECT g.begin, g.type_id, u.ms, sum(u.n)::bigint AS n
                FROM gone g CROSS JOIN LATERAL unnest(g.lateness_ms, g.lateness_count) AS u (ms, n) GROUP BY 1, 2, 3) counted
       GROUP BY begin, type_id
    ),
    kept AS (
      INSERT INTO ${schema}.tally (at, span_minutes, type_id, ${COUNTS.join(", ")}, latest_ms, last_error, lateness_ms, lateness_count)
      SELECT begin, $2::integer, type_id, ${COUNTS.join(", ")}, latest_ms, last_error, lateness_ms, lateness_count
        FROM sums LEFT JOIN late USING (begin, type_id)
    )
    SELECT count(*)::float8 AS count FROM gone`,
  values: ({ fold, limit, asOf }) => [asOf, fold.spanMinutes, fold.afterMinutes, limit],
  read: (row) => Number(row.count),
};
