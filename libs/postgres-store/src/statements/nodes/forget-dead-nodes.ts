import type { BootId, EpochMs, Leadership } from "@tickwheel/core";
import { asOf, parameters } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { termHeld } from "../leader/lock-term.js";

export interface ForgetDeadNodes {
  leader: Leadership;
  /** This many of the newest dead nodes stay. */
  kept: number;
  limit: number;
  asOf: EpochMs | null;
}

const [p, values] = parameters<ForgetDeadNodes>()({
  limit: ({ limit }) => limit,
  term: ({ leader }) => leader.term,
  holder: ({ leader }) => leader.holder,
  kept: ({ kept }) => kept,
  asOf,
});

/**
 * Deletes the rows of dead nodes under which nothing runs any more, because all node rows are read each second. Their
 * labels move to a separate table, since finished tasks and journals may name them. This costs nothing while few nodes
 * are dead; otherwise it costs one probe of the running tasks by owner for each further dead node.
 *
 * The term is locked last. If another node holds it, nothing is moved.
 */
export const forgetDeadNodes: Statement<ForgetDeadNodes, BootId> = {
  name: "forget_dead_nodes",
  sql: (schema) => `
    WITH idle AS MATERIALIZED (
      SELECT n.boot_id FROM ${schema}.node n
       WHERE n.state = 'dead'
         AND NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.running} AND t.owner = n.boot_id)
         AND n.boot_id IN (SELECT boot_id FROM ${schema}.node WHERE state = 'dead' ORDER BY joined_at DESC, boot_id DESC OFFSET ${p.kept})
       LIMIT ${p.limit} FOR UPDATE SKIP LOCKED
    ),
    leader AS MATERIALIZED (${termHeld(schema, { after: "idle", term: p.term, holder: p.holder })}),
    gone AS (
      DELETE FROM ${schema}.node n USING idle
       WHERE n.boot_id = idle.boot_id AND EXISTS (SELECT FROM leader)
      RETURNING n.boot_id, n.label
    ),
    former AS (
      INSERT INTO ${schema}.former_node (boot_id, label, forgotten_at) SELECT boot_id, label, ${now(p.asOf)} FROM gone
          ON CONFLICT (boot_id) DO NOTHING
    )
    SELECT boot_id::text AS boot_id FROM gone`,
  values,
  read: (row) => row.boot_id as string,
};
