import { type DeliveryKind, type EpochMs, MAX_COUNTED_OVERDUE, type TypeFigures } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import { type LatenessBucket, spreadOf } from "../../sql/lateness-spread.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/** A type's figures, and when they were counted. */
export interface TypeFiguresRow {
  countedAt: EpochMs;
  figures: TypeFigures | null;
}

/**
 * Every type that is not dropped, with what is overdue, running and told of the last five minutes. One row without
 * figures where there is no type.
 *
 * Cost: for each type two probes of the due index and what is overdue, at most 10,001 entries; the running tasks; the
 * counters of five minutes: a row for each node, type and second of the last ninety, for each type and minute before.
 */
export const typeFigures: Statement<{ namespace: string | null; asOf: EpochMs | null }, TypeFiguresRow> = {
  name: "type_figures",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$2")} AS now),
    kinds AS MATERIALIZED (
      SELECT id, namespace, type, delivery FROM ${schema}.type WHERE dropped_at IS NULL AND ($1::text IS NULL OR namespace = $1)
    ),
    running AS MATERIALIZED (
      SELECT type_id, count(*) AS count FROM ${schema}.task WHERE state = ${STATE.running} AND owner IS NOT NULL GROUP BY type_id
    ),
    told AS MATERIALIZED (
      SELECT * FROM ${schema}.tally WHERE at > (SELECT now - interval '5 minutes' FROM clock) AND span_minutes <= 1
    ),
    rates AS MATERIALIZED (
      SELECT type_id, sum(started) AS started, sum(failed) AS failed, sum(dead) AS dead, sum(succeeded) AS succeeded,
             sum(skipped) AS skipped, max(latest_ms) AS latest_ms,
             sum(started) FILTER (WHERE at > clock.now - interval '10 seconds') AS started_lately,
             sum(started) FILTER (WHERE span_minutes = 0 AND at > clock.now - interval '1 minute') AS started_minute,
             (array_agg(last_error ORDER BY at DESC) FILTER (WHERE last_error IS NOT NULL))[1] AS last_error
        FROM told, clock GROUP BY type_id
    ),
    late AS MATERIALIZED (
      SELECT type_id, json_agg(json_build_array(ms, n) ORDER BY ms)::text AS lateness
        FROM (SELECT t.type_id, u.ms, sum(u.n) AS n FROM told t CROSS JOIN LATERAL unnest(t.lateness_ms, t.lateness_count) AS u (ms, n) GROUP BY 1, 2) l
       GROUP BY type_id
    )
    SELECT ${epochMs("clock.now")} AS counted_at, k.id, k.namespace, k.type, k.delivery, due.overdue::float8 AS overdue,
           ${epochMs("due.oldest")} AS oldest_due_at, coalesce(running.count, 0)::float8 AS running, coalesce(rates.started, 0)::float8 AS started,
           coalesce(rates.failed, 0)::float8 AS failed, coalesce(rates.dead, 0)::float8 AS dead,
           coalesce(rates.succeeded, 0)::float8 AS succeeded, coalesce(rates.skipped, 0)::float8 AS skipped, rates.latest_ms::float8 AS latest_ms,
           coalesce(rates.started_lately, 0)::float8 AS started_lately, coalesce(rates.started_minute, 0)::float8 AS started_minute,
           rates.last_error, late.lateness
      FROM clock
      LEFT JOIN kinds k ON true
      LEFT JOIN LATERAL (
        SELECT count(*) AS overdue, min(o.due_at) AS oldest FROM (
          SELECT t.due_at FROM ${schema}.task t
           WHERE t.state = ${STATE.scheduled} AND t.type_id = k.id AND t.due_at <= (SELECT clock.now FROM clock)
           ORDER BY t.due_at LIMIT ${MAX_COUNTED_OVERDUE + 1}
        ) o
      ) due ON true
      LEFT JOIN running ON running.type_id = k.id
      LEFT JOIN rates ON rates.type_id = k.id
      LEFT JOIN late ON late.type_id = k.id`,
  values: ({ namespace, asOf }) => [namespace, asOf],
  read: (row) => ({ countedAt: readInstant(row.counted_at), figures: row.id === null ? null : figuresOf(row) }),
};

function figuresOf(row: Record<string, unknown>): TypeFigures {
  const buckets = JSON.parse((row.lateness as string | null) ?? "[]") as LatenessBucket[];
  return {
    typeId: Number(row.id),
    namespace: row.namespace as string,
    type: row.type as string,
    delivery: row.delivery as DeliveryKind,
    overdue: Number(row.overdue),
    oldestDueAt: row.oldest_due_at === null ? null : readInstant(row.oldest_due_at),
    running: Number(row.running),
    startedLately: Number(row.started_lately),
    lastMinuteStarted: Number(row.started_minute),
    lastStarted: Number(row.started),
    lastSucceeded: Number(row.succeeded),
    lastSkipped: Number(row.skipped),
    lastFailed: Number(row.failed),
    lastDead: Number(row.dead),
    lastLatenessMs: spreadOf(buckets, Number(row.latest_ms)),
    lastError: row.last_error as string | null,
  };
}
