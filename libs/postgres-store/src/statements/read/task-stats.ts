import type { EpochMs, TaskStats, TaskState } from "@tickwheel/core";
import { TASK_STATES } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { type LatenessBucket, spreadOf } from "../../sql/lateness-spread.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/**
 * A namespace in numbers. History is never read: what finished is told by its counters, which retention clears.
 *
 * Cost: the due index once for the count of scheduled tasks (index only; 60 to 100 ms for each 1,000,000), likewise of
 * paused ones, the running ones, the ended ones of the live table, and the counters: a row for each type and day, those
 * of the last week by hours, of the last day by ten minutes, of the last hours by minutes. Not for every second where
 * there are many: the store keeps an answer that was dear.
 */
export const taskStats: Statement<{ namespace: string; asOf: EpochMs | null }, TaskStats> = {
  name: "task_stats",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$2")} AS now, ${now("$2")} - interval '1 minute' AS since),
    kinds AS MATERIALIZED (SELECT id FROM ${schema}.type WHERE namespace = $1),
    scheduled AS MATERIALIZED (
      SELECT coalesce(sum(s.count), 0) AS count, sum(s.overdue) AS overdue, min(s.oldest) AS oldest FROM kinds CROSS JOIN LATERAL (
        SELECT count(*) AS count, count(*) FILTER (WHERE t.due_at <= (SELECT now FROM clock)) AS overdue, min(t.due_at) AS oldest
          FROM ${schema}.task t WHERE t.state = ${STATE.scheduled} AND t.type_id = kinds.id
      ) s
    ),
    finished AS MATERIALIZED (
      SELECT coalesce(sum(succeeded), 0) AS succeeded, coalesce(sum(cancelled), 0) AS cancelled, coalesce(sum(expired), 0) AS expired
        FROM ${schema}.tally WHERE type_id IN (SELECT id FROM kinds)
    ),
    counted AS (
      SELECT ${STATE.scheduled} AS state, count FROM scheduled
      UNION ALL
      SELECT ${STATE.paused}, count(*) FROM ${schema}.task WHERE state = ${STATE.paused} AND type_id IN (SELECT id FROM kinds)
      UNION ALL
      SELECT ${STATE.running}, count(*) FROM ${schema}.task
       WHERE state = ${STATE.running} AND owner IS NOT NULL AND type_id IN (SELECT id FROM kinds)
      UNION ALL
      SELECT state, count(*) FROM ${schema}.task
       WHERE state >= ${STATE.succeeded} AND type_id IN (SELECT id FROM kinds) GROUP BY state
      UNION ALL
      SELECT f.* FROM finished CROSS JOIN LATERAL (VALUES
        (${STATE.succeeded}, succeeded), (${STATE.cancelled}, cancelled), (${STATE.expired}, expired)) AS f (state, count)
    ),
    recent AS MATERIALIZED (
      SELECT * FROM ${schema}.tally
       WHERE span_minutes = 0 AND at > (SELECT since FROM clock) AND type_id IN (SELECT id FROM kinds)
    )
    SELECT ${epochMs("clock.now")} AS counted_at, scheduled.overdue::float8 AS overdue,
           CASE WHEN scheduled.oldest <= clock.now THEN ${epochMs("clock.now")} - ${epochMs("scheduled.oldest")} END AS oldest_overdue_ms,
           (SELECT json_object_agg(state, count)::text FROM (SELECT state, greatest(sum(count), 0) AS count FROM counted GROUP BY state) c) AS counts,
           rates.created, rates.started, rates.succeeded, rates.skipped, rates.failed, rates.latest_ms,
           (SELECT json_agg(json_build_array(ms, n) ORDER BY ms)::text
              FROM (SELECT u.ms, sum(u.n) AS n FROM recent r CROSS JOIN LATERAL unnest(r.lateness_ms, r.lateness_count) AS u (ms, n) GROUP BY 1) l
           ) AS lateness
      FROM clock, scheduled,
           (SELECT coalesce(sum(created), 0)::float8 AS created, coalesce(sum(started), 0)::float8 AS started,
                   coalesce(sum(succeeded), 0)::float8 AS succeeded, coalesce(sum(skipped), 0)::float8 AS skipped,
                   coalesce(sum(failed), 0)::float8 AS failed, max(latest_ms)::float8 AS latest_ms FROM recent) rates`,
  values: ({ namespace, asOf }) => [namespace, asOf],
  read: (row) => {
    const counts = JSON.parse((row.counts as string | null) ?? "{}") as Record<string, number>;
    return {
      counts: Object.fromEntries(TASK_STATES.map((state) => [state, counts[STATE[state]] ?? 0])) as Record<
        TaskState,
        number
      >,
      countedAt: readInstant(row.counted_at),
      overdue: Number(row.overdue ?? 0),
      oldestOverdueMs: row.oldest_overdue_ms === null ? null : Math.round(Number(row.oldest_overdue_ms)),
      lastMinute: {
        created: Number(row.created),
        started: Number(row.started),
        succeeded: Number(row.succeeded),
        skipped: Number(row.skipped),
        failed: Number(row.failed),
        latenessMs: spreadOf(
          JSON.parse((row.lateness as string | null) ?? "[]") as LatenessBucket[],
          Number(row.latest_ms),
        ),
      },
    };
  },
};
