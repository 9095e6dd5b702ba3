import type { BatchToReview, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now, stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

export interface BatchesToReview {
  mostMembers: number;
  limit: number;
  /** Goes on behind this id. */
  after: string | null;
  /** Batches of which members have just ended, and so may have spawned others. Null: all. */
  of: readonly string[] | null;
  asOf: EpochMs | null;
}

/** For a batch `b` in SQL: a look may change it, in the form of the index of such batches. */
export const MAY_CHANGE = `(b.state IN ('filling', 'open') OR b.stopping
            OR (b.deadline_at IS NOT NULL AND b.deadline_checked_at IS NULL AND b.state <> 'cancelled')
            OR (b.state = 'complete' AND b.on_success IS NOT NULL AND b.on_success_id IS NULL))`;

/** Its dead members are retried at its deadline; until then it is not complete, no matter which members live. */
const AWAITS_DEADLINE = "(b.retry_dead AND b.dead > 0 AND b.deadline_checked_at IS NULL AND b.stop_reason IS NULL)";

const [p, values] = parameters<BatchesToReview>()({
  asOf,
  mostMembers: typed("bigint", ({ mostMembers }) => mostMembers),
  limit: ({ limit }) => limit,
  after: typed("uuid", ({ after }) => after ?? BEFORE_ALL_IDS),
  of: typed("uuid[]", ({ of }) => of),
});

/**
 * The batches that a review may change, by id. A batch's last known live member is its witness: as long as that one
 * lives, nobody has to look for others. A batch that fills is asked for no witness, since it cannot complete.
 *
 * Where members have just ended, what was tallied and is not folded yet counts for the limit of members, too: a batch
 * whose members spawn ever more of them stops within milliseconds, not within the second of the next fold.
 *
 * Plan: the index of batches that a look may change; for each open batch one probe of the primary key of tasks,
 * however many of its members have ended. It is a scalar sub-select: of an EXISTS the planner might make a hash of all
 * tasks.
 */
export const batchesToReview: Statement<BatchesToReview, BatchToReview> = {
  name: "batches_to_review",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now)
    SELECT b.id::text AS id, b.stopping, b.retrying_since IS NOT NULL AS retrying FROM ${schema}.batch b
     WHERE ${MAY_CHANGE}
       AND (${p.of} IS NULL OR b.id = ANY (${p.of})) AND b.id > ${p.after}
       AND (b.stopping OR b.retrying_since IS NOT NULL
            OR (b.deadline_checked_at IS NULL AND b.state <> 'cancelled' AND b.deadline_at <= (SELECT now FROM clock))
            OR (b.state = 'complete' AND b.on_success IS NOT NULL AND b.on_success_id IS NULL AND b.succeeded = b.total)
            OR (b.state IN ('filling', 'open') AND b.stop_reason IS NULL
                AND ((b.fail_fast AND b.dead > 0) OR b.total > ${p.mostMembers}
                     OR CASE WHEN ${p.of} IS NOT NULL THEN b.total + (
                          SELECT coalesce(sum(y.total), 0) FROM ${schema}.batch_tally y WHERE y.batch_id = b.id) > ${p.mostMembers} END))
            OR (b.state = 'open' AND NOT ${AWAITS_DEADLINE} AND (
                  SELECT t.id FROM ${schema}.task t WHERE t.id = b.witness AND ${stateById("t")} < ${STATE.succeeded} LIMIT 1) IS NULL))
     ORDER BY b.id LIMIT ${p.limit}`,
  values,
  read: (row) => ({
    id: row.id as string,
    isStopping: row.stopping as boolean,
    isRetrying: row.retrying as boolean,
  }),
};
