import type { BootId, Leadership } from "@tickwheel/core";
import type { Statement } from "../session.js";
import { STATE } from "../state-codes.js";
import { termHeld } from "./lock-term.js";

export interface ForgetDeadNodes {
  leader: Leadership;
  limit: number;
}

/**
 * Deletes dead nodes that no task names, so that the journals of kept tasks go on saying which node ran them. Costs nothing while no node
 * is dead; else, for each dead one, a probe of the running tasks and of history by owner, and the ended tasks of the live table.
 *
 * The term is locked last; where it is another's nothing is deleted.
 */
export const forgetDeadNodes: Statement<ForgetDeadNodes, BootId> = {
  name: "forget_dead_nodes",
  sql: (schema) => `
    WITH nameless AS MATERIALIZED (
      SELECT n.boot_id FROM ${schema}.node n
       WHERE n.state = 'dead'
         AND NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.running} AND t.owner = n.boot_id)
         AND NOT EXISTS (SELECT FROM ${schema}.history h WHERE h.owner = n.boot_id)
         AND n.boot_id NOT IN (SELECT t.owner FROM ${schema}.task t WHERE t.state >= ${STATE.succeeded} AND t.owner IS NOT NULL)
       LIMIT $1 FOR UPDATE SKIP LOCKED
    ),
    leader AS MATERIALIZED (${termHeld(schema, { after: "nameless", term: "$2", holder: "$3" })})
    DELETE FROM ${schema}.node n USING nameless
     WHERE n.boot_id = nameless.boot_id AND EXISTS (SELECT FROM leader)
    RETURNING n.boot_id::text AS boot_id`,
  values: ({ leader, limit }) => [limit, leader.term, leader.holder],
  read: (row) => row.boot_id as string,
};
