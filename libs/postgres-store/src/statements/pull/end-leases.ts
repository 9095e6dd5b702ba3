import { CONSUMER, type EndedLease, type EpochMs, LEASE_ENDED, printOf } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { TAIL_COLUMNS } from "../../sql/journal-sql.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, now, stateById } from "../../sql/sql-fragments.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import { departing, readEnd } from "../end/end-attempts.js";

interface EndLeases {
  limit: number;
  asOf: EpochMs | null;
}

const [p, values] = parameters<EndLeases>()({ asOf, limit: typed("integer", ({ limit }) => limit) });

/** The journal's reason. */
const WHY = "LEASE_ENDED";

/**
 * Takes tasks away whose lease is over, as a failed attempt without a wait.
 *
 * The lease is locked first, and then the task: everybody else locks them the other way round. Neither is waited for,
 * so that is no deadlock; and a lease that was extended after this statement's snapshot is seen as it is now. A join of
 * both that locks the task alone would take a task whose lease was extended while it waited.
 *
 * A lease goes with its task's end here, or if its task does not run under its fence. That of a locked task stays for
 * the next time.
 *
 * Plan: the index of leases by their ends, and a probe of the primary key of tasks for each.
 */
export const endLeases: Statement<EndLeases, EndedLease> = {
  name: "end_leases",
  sql: (schema) => `
    WITH clock_before AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    late AS MATERIALIZED (
      SELECT l.task_id, l.fence, l.consumer FROM ${schema}.lease l
       WHERE l.until_at < (SELECT now FROM clock_before)
       ORDER BY l.until_at LIMIT ${p.limit} FOR UPDATE SKIP LOCKED
    ),
    found AS MATERIALIZED (${lateTasks(schema)}),
    ${departing(schema, {
      asOf: p.asOf,
      more: `,
    unleased AS (
      DELETE FROM ${schema}.lease l USING late
       WHERE l.task_id = late.task_id AND l.fence = late.fence
         AND (late.task_id IN (SELECT id FROM found)
              OR NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.id = late.task_id AND ${stateById("t")} = ${STATE.running} AND t.fence = late.fence))
    )`,
      column: ", t.type_id, (SELECT l.consumer FROM late l WHERE l.task_id = t.id) AS consumer",
    })}`,
  values,
  read: (row) => {
    const { id, fence, state, hint } = readEnd(row, stateOf(row.state));
    return { id, fence, typeId: Number(row.type_id), state, hint, consumer: row.consumer as string };
  },
};

/** The columns of an execution that ends, as `end_attempts` has them. */
function lateTasks(schema: QuotedSchema): string {
  return `
      SELECT t.id, t.batch_id, ${TAIL_COLUMNS.map((column) => `t.${column}`).join(", ")}, ${epochMs("t.claimed_at")} AS started_ms,
             0::float8 AS delay_ms, true AS charged, t.max_attempts AS most, false AS is_deferral, '${WHY}' AS why,
             concat('${LEASE_ENDED}: ', late.consumer) AS error, ${printOf(LEASE_ENDED).print}::bigint AS error_print,
             NULL::text AS run_lateness_parts,
             CASE WHEN t.cancel_requested_at IS NOT NULL THEN ${STATE.cancelled}
                  WHEN t.attempt >= t.max_attempts THEN ${STATE.dead} ELSE ${STATE.scheduled} END AS next_state
        FROM late JOIN ${schema}.task t ON t.id = late.task_id
       WHERE ${stateById("t")} = ${STATE.running} AND t.owner = ${CONSUMER} AND t.fence = late.fence
         FOR UPDATE OF t SKIP LOCKED`;
}
