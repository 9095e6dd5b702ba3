import type { EpochMs, HistoryBucket, HistoryRequest } from "@tickwheel/core";
import { binOf } from "../../sql/buckets.js";
import { LATE_COLUMNS, readLateColumns } from "../../sql/lateness-sql.js";
import { type LatenessBucket, spreadOf } from "../../sql/lateness-spread.js";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

/** A bucket, and when it was counted. */
export interface HistoryRow extends HistoryBucket {
  countedAt: EpochMs;
}

const BUCKET_MS = "$4::float8";

/**
 * What happened to the tasks of a namespace, or of one of its types, in buckets of one length, oldest first; the last
 * bucket is the present one.
 *
 * Plan: the counters of that time by their index on time: for each type a row for each span that they are folded into,
 * and of the last ninety seconds a row for each node and second.
 */
export const tallyHistory: Statement<HistoryRequest & { asOf: EpochMs | null }, HistoryRow> = {
  name: "tally_history",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    last AS MATERIALIZED (SELECT ${binOf("now", BUCKET_MS)} AS at FROM clock),
    bounds AS MATERIALIZED (SELECT at AS last, at - ($5::integer - 1) * ${BUCKET_MS} * interval '1 millisecond' AS first FROM last),
    told AS MATERIALIZED (
      SELECT t.*, ${binOf("t.at", BUCKET_MS)} AS bucket FROM ${schema}.tally t
       WHERE t.at >= (SELECT first FROM bounds)
         AND t.type_id IN (SELECT id FROM ${schema}.type WHERE namespace = $2 AND ($3::text IS NULL OR type = $3))
    ),
    sums AS MATERIALIZED (
      SELECT bucket, sum(created) AS created, sum(started) AS started, sum(succeeded) AS succeeded, sum(skipped) AS skipped,
             sum(failed) AS failed, sum(dead) AS dead, max(latest_ms) AS latest_ms, sum(place_ms) AS place_ms, ${LATE_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(", ")} FROM told GROUP BY bucket
    ),
    late AS MATERIALIZED (
      SELECT bucket, json_agg(json_build_array(ms, n) ORDER BY ms)::text AS lateness
        FROM (SELECT t.bucket, u.ms, sum(u.n) AS n FROM told t CROSS JOIN LATERAL unnest(t.lateness_ms, t.lateness_count) AS u (ms, n) GROUP BY 1, 2) l
       GROUP BY bucket
    )
    SELECT ${epochMs("clock.now")} AS counted_at, ${epochMs("b.at")} AS at, coalesce(s.created, 0)::float8 AS created,
           coalesce(s.started, 0)::float8 AS started, coalesce(s.succeeded, 0)::float8 AS succeeded, coalesce(s.skipped, 0)::float8 AS skipped,
           coalesce(s.failed, 0)::float8 AS failed,
           coalesce(s.dead, 0)::float8 AS dead, s.latest_ms::float8 AS latest_ms, late.lateness,
           (coalesce(s.place_ms, 0) / greatest(1, least(${BUCKET_MS}, ${epochMs("clock.now")} - ${epochMs("b.at")})))::float8 AS places,
           ${LATE_COLUMNS.map((column) => `coalesce(s.${column}, 0)::float8 AS ${column}`).join(", ")}
      FROM clock, bounds CROSS JOIN LATERAL generate_series(first, last, ${BUCKET_MS} * interval '1 millisecond') AS b (at)
      LEFT JOIN sums s ON s.bucket = b.at
      LEFT JOIN late ON late.bucket = b.at
     ORDER BY b.at`,
  values: ({ namespace, type = null, bucketMs, buckets, asOf }) => [asOf, namespace, type, bucketMs, buckets],
  read: (row) => ({
    countedAt: readInstant(row.counted_at),
    at: readInstant(row.at),
    created: Number(row.created),
    started: Number(row.started),
    succeeded: Number(row.succeeded),
    skipped: Number(row.skipped),
    failed: Number(row.failed),
    dead: Number(row.dead),
    latenessMs: spreadOf(
      JSON.parse((row.lateness as string | null) ?? "[]") as LatenessBucket[],
      Number(row.latest_ms),
    ),
    latenessPartsMs: readLateColumns(row),
    places: Math.round(Number(row.places) * 10) / 10,
  }),
};
