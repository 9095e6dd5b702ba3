import { CONSUMER, type EpochMs, type ExtendReply, type LeaseRef } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now, span, stateById, wholeMs } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

interface ExtendLease extends LeaseRef {
  leaseMs: number;
  asOf: EpochMs | null;
}

const [p, values] = parameters<ExtendLease>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  fence: typed("integer", ({ fence }) => fence),
  leaseMs: typed("float8", ({ leaseMs }) => leaseMs),
});

/**
 * Extends a lease; no row: it is lost. The task's row is locked first: a transaction that is taking the task away just
 * now is waited for, and then nothing is extended. The clock is read after the wait. A lease whose row is missing is
 * made anew: without one nobody would take the task away.
 *
 * Plan: one probe of each primary key.
 */
export const extendLease: Statement<ExtendLease, ExtendReply> = {
  name: "extend_lease",
  sql: (schema) => `
    WITH mine AS MATERIALIZED (
      SELECT t.id, t.fence, t.cancel_requested_at IS NOT NULL AS is_cancelled FROM ${schema}.task t
       WHERE t.id = ${p.id} AND ${stateById("t")} = ${STATE.running} AND t.owner = ${CONSUMER} AND t.fence = ${p.fence}
         FOR NO KEY UPDATE
    ),
    clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now FROM mine),
    extended AS (
      INSERT INTO ${schema}.lease AS l (task_id, fence, until_at, consumer)
      SELECT mine.id, mine.fence, clock.now + ${span(p.leaseMs)}, 'consumer' FROM mine CROSS JOIN clock WHERE NOT mine.is_cancelled
          ON CONFLICT (task_id) DO UPDATE SET fence = excluded.fence, until_at = excluded.until_at
      RETURNING l.until_at
    )
    SELECT mine.is_cancelled, (SELECT ${wholeMs("until_at")} FROM extended)::float8 AS until_ms FROM mine`,
  values,
  read: (row) => {
    if (row.is_cancelled === true) return { outcome: "cancel_requested" };
    return row.until_ms === null ? { outcome: "lost" } : { outcome: "extended", leaseUntil: Number(row.until_ms) };
  },
};
