import type { EpochMs, LimitState } from "@tickwheel/core";
import { now, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { tokensAt } from "./token-sql.js";

/**
 * How full each limit is.
 *
 * Plan: the limits as a whole, and a probe of the primary key for each place.
 */
export const readLimits: Statement<{ asOf: EpochMs | null }, LimitState> = {
  name: "read_limits",
  sql: (schema) => `
    SELECT l.id, floor(${tokensAt("b", "clock.now")} + 1e-9) AS tokens,
           CASE WHEN l.max_running IS NOT NULL THEN (
             SELECT count(*) FROM unnest(l.places) AS u (id) JOIN ${schema}.task t ON t.id = u.id WHERE ${stateById("t")} = ${STATE.running}
           )::float8 END AS running
      FROM (SELECT ${now("$1")} AS now) clock CROSS JOIN ${schema}.flow_limit l LEFT JOIN ${schema}.bucket b ON b.id = l.id
     ORDER BY l.id`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({
    id: Number(row.id),
    running: row.running === null ? null : Number(row.running),
    tokens: row.tokens === null ? null : Number(row.tokens),
  }),
};
