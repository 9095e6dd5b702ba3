import type { Breaker, BreakerSubject, EpochMs, KnownBreaker } from "@tickwheel/core";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { BREAKER_JSON } from "./read-breakers.js";

/**
 * Locks a breaker's row, and answers the newest version of it. The clock is read after the wait for another change. One
 * row in each case: of a breaker without a row it is the clock.
 */
export const lockBreaker: Statement<{ subject: BreakerSubject; asOf: EpochMs | null }, KnownBreaker> = {
  name: "lock_breaker",
  sql: (schema) => `
    WITH b AS MATERIALIZED (
      SELECT * FROM ${schema}.breaker WHERE namespace = $2 AND kind = $3 AND name = $4 FOR UPDATE
    ),
    clock AS MATERIALIZED (SELECT ${now("$1")} AS now FROM (SELECT count(*) FROM b) locked)
    SELECT ${wholeMs("clock.now")}::float8 AS now, CASE WHEN b.name IS NOT NULL THEN ${BREAKER_JSON} END AS breaker,
           EXISTS (SELECT FROM ${schema}.node n WHERE n.boot_id = b.trial_by AND n.state <> 'dead') AS is_trial_node_alive,
           (SELECT count(*) FROM ${schema}.breaker r
             WHERE r.namespace = $2 AND r.kind = 'host' AND r.until_at > clock.now)::float8 AS resting_hosts
      FROM clock LEFT JOIN b ON true`,
  values: ({ subject: { namespace, kind, name }, asOf }) => [asOf, namespace, kind, name],
  read: (row) => ({
    now: Number(row.now),
    breaker: row.breaker === null ? null : (JSON.parse(row.breaker as string) as Breaker),
    isTrialNodeAlive: row.is_trial_node_alive === true,
    restingHosts: Number(row.resting_hosts),
  }),
};
