import type { BootId, EpochMs, Leadership } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { termHeld } from "../leader/lock-term.js";

export interface ForgetDeadNodes {
  leader: Leadership;
  /** The newest dead nodes, as many as this, stay. */
  kept: number;
  limit: number;
  asOf: EpochMs | null;
}

/**
 * Moves dead nodes under which nothing runs any more out of the way of all who read the nodes each second. Their labels
 * stay in a table of their own, since finished tasks and journals name them for as long as they are kept. Costs nothing
 * while few nodes are dead; else, for each further one, a probe of the running tasks by owner.
 *
 * The term is locked last; where it is another's nothing is moved.
 */
export const forgetDeadNodes: Statement<ForgetDeadNodes, BootId> = {
  name: "forget_dead_nodes",
  sql: (schema) => `
    WITH idle AS MATERIALIZED (
      SELECT n.boot_id FROM ${schema}.node n
       WHERE n.state = 'dead'
         AND NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.running} AND t.owner = n.boot_id)
         AND n.boot_id IN (SELECT boot_id FROM ${schema}.node WHERE state = 'dead' ORDER BY joined_at DESC, boot_id DESC OFFSET $4)
       LIMIT $1 FOR UPDATE SKIP LOCKED
    ),
    leader AS MATERIALIZED (${termHeld(schema, { after: "idle", term: "$2", holder: "$3" })}),
    gone AS (
      DELETE FROM ${schema}.node n USING idle
       WHERE n.boot_id = idle.boot_id AND EXISTS (SELECT FROM leader)
      RETURNING n.boot_id, n.label
    ),
    former AS (
      INSERT INTO ${schema}.former_node (boot_id, label, forgotten_at) SELECT boot_id, label, ${now("$5")} FROM gone
          ON CONFLICT (boot_id) DO NOTHING
    )
    SELECT boot_id::text AS boot_id FROM gone`,
  values: ({ leader, kept, limit, asOf }) => [limit, leader.term, leader.holder, kept, asOf],
  read: (row) => row.boot_id as string,
};
