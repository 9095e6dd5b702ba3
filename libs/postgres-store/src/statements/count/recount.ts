import { type EpochMs, SKIPPED } from "@tickwheel/core";
import { binOf } from "../../sql/buckets.js";
import { LATE_COLUMNS } from "../../sql/lateness-sql.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { FOLDS } from "./fold-tallies.js";

/** A closed span waits this long, until every transaction that had begun to append to it is over. */
const APPENDS_END_AFTER = "interval '10 seconds'";
const [, TENS, HOURS, DAYS] = FOLDS;
/** A span this close to the age of a fold counts as folded already. */
const MARGIN_MINUTES = 5;

/**
 * Counts one closed span anew from history and replaces its tallies of succeeded, cancelled and expired tasks. The
 * newest span comes first. The other counters and the lateness stay as the nodes wrote them. Answers 1, or 0 where no
 * span waits.
 *
 * A move into or out of history writes its counters in the same transaction, so a snapshot holds both or neither. If a
 * span's tallies may have been folded into a longer span, the longer span is counted.
 *
 * Plan: the partitions of the span's days, by the BRIN index on the end where it is summarised. This must not run on
 * the engine's connections.
 */
export const recount: Statement<{ asOf: EpochMs | null }, number> = {
  name: "recount",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    picked AS MATERIALIZED (
      SELECT r.at, r.span_minutes FROM ${schema}.recount r, clock
       WHERE r.counted_at IS NULL AND r.closed_at < clock.now - ${APPENDS_END_AFTER}
       ORDER BY r.at DESC LIMIT 1 FOR UPDATE OF r SKIP LOCKED
    ),
    span AS MATERIALIZED (
      SELECT ${binOf("at", "minutes * 60000")} AS begin, minutes
        FROM (SELECT p.at, CASE WHEN p.at < clock.now - interval '${DAYS.afterMinutes - MARGIN_MINUTES} minutes' THEN 1440
                                WHEN p.at < clock.now - interval '${HOURS.afterMinutes - MARGIN_MINUTES} minutes' THEN greatest(60, p.span_minutes)
                                WHEN p.at < clock.now - interval '${TENS.afterMinutes - MARGIN_MINUTES} minutes' THEN greatest(10, p.span_minutes)
                                ELSE p.span_minutes END AS minutes
                FROM picked p, clock) s
    ),
    told AS (
      DELETE FROM ${schema}.tally t USING span s
       WHERE t.at >= s.begin AND t.at < s.begin + s.minutes * interval '1 minute' AND t.span_minutes <= s.minutes
      RETURNING t.*
    ),
    counted AS (
      SELECT h.type_id, count(*) FILTER (WHERE h.state = ${STATE.succeeded}) AS succeeded,
             count(*) FILTER (WHERE h.reason = '${SKIPPED}') AS skipped, count(*) FILTER (WHERE h.state = ${STATE.cancelled}) AS cancelled,
             count(*) FILTER (WHERE h.state = ${STATE.expired}) AS expired
        FROM ${schema}.history h
       WHERE h.finished_at >= (SELECT begin FROM span) AND h.finished_at < (SELECT begin + minutes * interval '1 minute' FROM span)
       GROUP BY h.type_id
    ),
    rates AS (
      SELECT at, span_minutes, type_id, created, started, failed, dead, 0 AS succeeded, 0 AS skipped, 0 AS cancelled, 0 AS expired, latest_ms,
             lateness_ms, lateness_count, place_ms, last_error, ${LATE_COLUMNS.join(", ")} FROM told
       UNION ALL
      SELECT s.begin, s.minutes, c.type_id, 0, 0, 0, 0, c.succeeded, c.skipped, c.cancelled, c.expired, NULL, NULL, NULL, 0, NULL,
             ${LATE_COLUMNS.map(() => "0").join(", ")} FROM counted c, span s
    ),
    kept AS (
      INSERT INTO ${schema}.tally (at, span_minutes, type_id, created, started, failed, dead, succeeded, skipped, cancelled, expired, latest_ms,
                                  lateness_ms, lateness_count, place_ms, last_error, ${LATE_COLUMNS.join(", ")})
      SELECT * FROM rates
    ),
    done AS (
      UPDATE ${schema}.recount r SET counted_at = clock.now, closed_at = coalesce(r.closed_at, clock.now)
        FROM clock, span s
       WHERE r.counted_at IS NULL AND r.at >= s.begin AND r.at + r.span_minutes * interval '1 minute' <= s.begin + s.minutes * interval '1 minute'
    )
    SELECT count(*)::integer AS count FROM picked`,
  values: ({ asOf }) => [asOf],
  read: (row) => Number(row.count),
};
