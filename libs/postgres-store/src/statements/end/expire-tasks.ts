import type { EpochMs, ExpireRequest } from "@tickwheel/core";
import { tallyEnds } from "../../sql/batch-sql.js";
import { now, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/** For a task `t` in SQL: it has never started, in the form of the index of start deadlines. */
export const NEVER_STARTED = `${stateById("t")} = ${STATE.scheduled} AND t.started_at IS NULL`;

/**
 * Ends tasks as `expired` that have never started and are past their start deadline. Each row is locked in its newest
 * version, so a claim, a cancel or a reschedule that came first stands. Locked rows are left for the next round, so
 * nodes that do this at the same time share the work.
 *
 * The row itself is the journal. Plan: one range of the index of start deadlines for each type. That index holds only
 * tasks that have a deadline and never started; without such tasks a round reads an empty page. The state is compared
 * in the form that this index uses: with `state = 0`, a plan made while the table was empty might read the due index
 * from end to end.
 */
export const expireTasks: Statement<ExpireRequest & { asOf: EpochMs | null }, string> = {
  name: "expire_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    late AS MATERIALIZED (
      SELECT t.id FROM ${schema}.task t
       WHERE ${NEVER_STARTED} AND t.type_id = ANY ($2::integer[])
         AND t.start_deadline_at < (SELECT now FROM clock)
       LIMIT $3 FOR UPDATE OF t SKIP LOCKED
    ),
    expired AS (
      UPDATE ${schema}.task t
         SET state = ${STATE.expired}, key_live = false, finished_at = clock.now, version = t.version + 1
        FROM late CROSS JOIN clock
       WHERE t.id = late.id AND ${stateById("t")} = ${STATE.scheduled}
      RETURNING t.id, t.batch_id
    ),
    tallied AS (${tallyEnds(schema, "expired", String(STATE.expired))})
    SELECT id::text AS id FROM expired`,
  values: ({ typeIds, limit, asOf }) => [asOf, typeIds, limit],
  read: (row) => row.id as string,
};
