import type { EpochMs, TaskStats, TaskState } from "@tickwheel/core";
import { TASK_STATES } from "@tickwheel/core";
import { epochMs, now } from "../sql-fragments.js";
import type { Statement } from "../session.js";
import { STATE } from "../state-codes.js";
import { readInstant } from "../task-rows.js";

/**
 * A namespace in numbers. Cost: the due index once for the count of scheduled tasks (index only; 60 to 100 ms for each 1,000,000), the
 * running ones, history once, and the last minute by the indexes on end and id. Not for every second: the store
 * keeps an answer that was dear.
 *
 * `started` leaves out those that are scheduled again by now.
 */
export const taskStats: Statement<{ namespace: string; asOf: EpochMs | null }, TaskStats> = {
  name: "task_stats",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$2")} AS now, ${now("$2")} - interval '1 minute' AS since),
    kinds AS MATERIALIZED (SELECT id FROM ${schema}.type WHERE namespace = $1),
    due AS MATERIALIZED (
      SELECT min(d.oldest) AS oldest, sum(d.due) AS due FROM kinds CROSS JOIN LATERAL (
        SELECT count(*) AS due, min(t.due_at) AS oldest FROM ${schema}.task t
         WHERE t.state = ${STATE.scheduled} AND t.type_id = kinds.id AND t.due_at <= (SELECT clock.now FROM clock)
      ) d
    ),
    counted AS (
      SELECT ${STATE.scheduled} AS state, count(*) AS count FROM ${schema}.task
       WHERE state = ${STATE.scheduled} AND type_id IN (SELECT id FROM kinds)
      UNION ALL
      SELECT ${STATE.running}, count(*) FROM ${schema}.task
       WHERE state = ${STATE.running} AND owner IS NOT NULL AND type_id IN (SELECT id FROM kinds)
      UNION ALL
      SELECT state, count(*) FROM ${schema}.task
       WHERE state >= ${STATE.succeeded} AND type_id IN (SELECT id FROM kinds) GROUP BY state
      UNION ALL
      SELECT state, count(*) FROM ${schema}.history WHERE type_id IN (SELECT id FROM kinds) GROUP BY state
    ),
    ended AS MATERIALIZED (${["task", "history"].map((table) => endedSince(schema, table)).join(" UNION ALL ")}),
    started AS (
      SELECT greatest(0, ${epochMs("started_at")} - ${epochMs("greatest(due_at, created_at)")}) AS lateness_ms
        FROM ended WHERE started_at > (SELECT since FROM clock)
    ),
    running AS (
      SELECT count(*) AS count FROM ${schema}.task
       WHERE state = ${STATE.running} AND type_id IN (SELECT id FROM kinds) AND started_at > (SELECT since FROM clock)
    )
    SELECT ${epochMs("clock.now")} AS counted_at, due.due::float8 AS due_now, ${epochMs("clock.now")} - ${epochMs("due.oldest")} AS oldest_due_ms,
           (SELECT json_object_agg(state, count)::text FROM (SELECT state, sum(count) AS count FROM counted GROUP BY state) c) AS counts,
           (${["task", "history"].map((table) => createdSince(schema, table)).join(") + (")})::float8 AS created,
           ((SELECT count(*) FROM started) + running.count)::float8 AS started,
           (SELECT count(*) FROM ended WHERE state = ${STATE.succeeded})::float8 AS succeeded,
           (SELECT count(*) FROM ended WHERE state = ${STATE.dead})::float8 AS failed,
           lateness.*
      FROM clock, due, running,
           (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY lateness_ms) AS p50,
                   percentile_disc(0.99) WITHIN GROUP (ORDER BY lateness_ms) AS p99, max(lateness_ms) AS max FROM started) lateness`,
  values: ({ namespace, asOf }) => [namespace, asOf],
  read: (row) => {
    const counts = JSON.parse((row.counts as string | null) ?? "{}") as Record<string, number>;
    const lateness = row.max === null ? null : { p50: ms(row.p50), p99: ms(row.p99), max: ms(row.max) };
    return {
      counts: Object.fromEntries(TASK_STATES.map((state) => [state, counts[STATE[state]] ?? 0])) as Record<
        TaskState,
        number
      >,
      countedAt: readInstant(row.counted_at),
      dueNow: Number(row.due_now ?? 0),
      oldestDueMs: row.oldest_due_ms === null ? null : ms(row.oldest_due_ms),
      lastMinute: {
        created: Number(row.created),
        started: Number(row.started),
        succeeded: Number(row.succeeded),
        failed: Number(row.failed),
        latenessMs: lateness,
      },
    };
  },
};

function endedSince(schema: string, table: string): string {
  return `
      SELECT state, started_at, due_at, created_at FROM ${schema}.${table}
       WHERE state IN (${STATE.succeeded}, ${STATE.dead}, ${STATE.cancelled}) AND finished_at > (SELECT since FROM clock)
         AND type_id IN (SELECT id FROM kinds)`;
}

/** An id begins with its time, so the newest ids are the newest tasks; ids are made by node clocks, hence the extra minute. */
function createdSince(schema: string, table: string): string {
  const firstId = `(lpad(to_hex((${epochMs("since - interval '1 minute'")})::bigint), 12, '0') || repeat('0', 20))::uuid`;
  return `SELECT count(*) FROM ${schema}.${table}
             WHERE id > (SELECT ${firstId} FROM clock) AND created_at > (SELECT since FROM clock) AND type_id IN (SELECT id FROM kinds)`;
}

function ms(value: unknown): number {
  return Math.round(Number(value));
}
