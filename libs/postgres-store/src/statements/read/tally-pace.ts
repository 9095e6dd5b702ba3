import type { EpochMs, Pace } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * How fast the cluster worked within a day: its best minute, as far as minutes are still told apart, else the mean
 * minute of the best longer span; and how long executions took.
 *
 * Plan: the counters of a day by their index on time.
 */
export const tallyPace: Statement<{ asOf: EpochMs | null }, Pace> = {
  name: "tally_pace",
  sql: (schema) => `
    WITH told AS MATERIALIZED (
      SELECT at, greatest(span_minutes, 1) AS minutes, started, place_ms FROM ${schema}.tally
       WHERE at >= (SELECT ${now("$1")} - interval '1 day') AND span_minutes <= 60
    ),
    spans AS (SELECT date_trunc('minute', at) AS at, minutes, sum(started) / minutes AS rate FROM told GROUP BY 1, 2)
    SELECT coalesce((SELECT max(rate) FROM spans), 0)::float8 AS best_minute, coalesce(sum(started), 0)::float8 AS started,
           coalesce(sum(place_ms), 0)::float8 AS place_ms FROM told`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    bestMinute: Number(row.best_minute),
    started: Number(row.started),
    placeMs: Number(row.place_ms),
  }),
};
