import { CONSUMER, type HeldLease, type TypeId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { wholeMs } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * The leases of a type that last, the oldest claims first. Plan: the index of running tasks by owner, and a probe of
 * the leases for each.
 */
export const heldLeases: Statement<{ typeId: TypeId; limit: number }, HeldLease> = {
  name: "held_leases",
  sql: (schema) => `
    SELECT t.id::text AS id, t.fence, l.consumer, ${wholeMs("t.claimed_at")}::float8 AS claimed_ms, ${wholeMs("l.until_at")}::float8 AS until_ms
      FROM ${schema}.task t JOIN ${schema}.lease l ON l.task_id = t.id AND l.fence = t.fence
     WHERE t.state = ${STATE.running} AND t.owner = ${CONSUMER} AND t.type_id = $1::integer
     ORDER BY t.claimed_at, t.id LIMIT $2::integer`,
  values: ({ typeId, limit }) => [typeId, limit],
  read: (row) => ({
    id: row.id as string,
    fence: Number(row.fence),
    consumer: row.consumer as string,
    claimedAt: Number(row.claimed_ms),
    leaseUntil: Number(row.until_ms),
  }),
};
