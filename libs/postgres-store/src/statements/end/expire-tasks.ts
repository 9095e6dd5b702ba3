import type { EpochMs, ExpireRequest } from "@tickwheel/core";
import { now, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * Ends `expired` what has never started and is past its start deadline. Each row is locked in its newest version, so a
 * claim, a cancel or a reschedule that came first stands; locked rows are left for the next round, and nodes at it
 * together share the work.
 *
 * Journalled by the row itself. Plan: one range for each type of the index of start deadlines, which holds only tasks
 * that have one and never started: without such tasks a round reads an empty page. The state is compared as that index
 * has it: for `state = 0` a plan that was made while the table was empty might read the due index from end to end.
 */
export const expireTasks: Statement<ExpireRequest & { asOf: EpochMs | null }, string> = {
  name: "expire_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    late AS MATERIALIZED (
      SELECT t.id FROM ${schema}.task t
       WHERE ${stateById("t")} = ${STATE.scheduled} AND t.started_at IS NULL AND t.type_id = ANY ($2::integer[])
         AND t.start_deadline_at < (SELECT now FROM clock)
       LIMIT $3 FOR UPDATE OF t SKIP LOCKED
    )
    UPDATE ${schema}.task t
       SET state = ${STATE.expired}, key_live = false, finished_at = clock.now, version = t.version + 1
      FROM late CROSS JOIN clock
     WHERE t.id = late.id AND ${stateById("t")} = ${STATE.scheduled}
    RETURNING t.id::text AS id`,
  values: ({ typeIds, limit, asOf }) => [asOf, typeIds, limit],
  read: (row) => row.id as string,
};
