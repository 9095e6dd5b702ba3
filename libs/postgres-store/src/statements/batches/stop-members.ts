import type { EpochMs, TaskState } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { tallyEnds } from "../../sql/batch-sql.js";
import { endOrAsk } from "../../sql/cancel-sql.js";
import { now, stateById } from "../../sql/sql-fragments.js";
import { STATE, stateOf } from "../../sql/state-codes.js";

export interface StopMembers {
  id: string;
  limit: number;
  asOf: EpochMs | null;
}
export interface StoppedMember {
  id: string;
  state: TaskState;
  owner: string | null;
  fence: number;
}

/**
 * Takes back members of a batch that stops: those that wait end `cancelled`, those that run are asked to stop, once.
 * Each row is locked in its newest version; locked ones are left for the next round. Nothing happens to the members of
 * a batch that does not stop.
 *
 * Plan: one range of the index of members for each state; the running ones that were asked before are passed over.
 */
export const stopMembers: Statement<StopMembers, StoppedMember> = {
  name: "stop_batch_members",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    stopping AS MATERIALIZED (SELECT id FROM ${schema}.batch WHERE id = $2::uuid AND stopping),
    picked AS MATERIALIZED (
      SELECT t.id FROM ${schema}.task t
       WHERE t.batch_id = (SELECT id FROM stopping) AND t.state IN (${STATE.paused}, ${STATE.scheduled}, ${STATE.running})
         AND t.cancel_requested_at IS NULL
       LIMIT $3 FOR UPDATE OF t SKIP LOCKED
    ),
    stopped AS (
      UPDATE ${schema}.task t
         SET ${endOrAsk("'batch:' || t.batch_id")}
        FROM picked CROSS JOIN clock
       WHERE t.id = picked.id AND ${stateById("t")} <= ${STATE.running}
      RETURNING t.id, t.state, t.owner, t.fence, t.batch_id
    ),
    tallied AS (${tallyEnds(schema, "stopped", "state")})
    SELECT id::text AS id, state, owner::text AS owner, fence FROM stopped`,
  values: ({ id, limit, asOf }) => [asOf, id, limit],
  read: (row) => ({
    id: row.id as string,
    state: stateOf(row.state),
    owner: row.owner as string | null,
    fence: Number(row.fence),
  }),
};
