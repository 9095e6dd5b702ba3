import type { BootId } from "@tickwheel/core";
import type { Statement } from "../session.js";
import { STATE } from "../state-codes.js";

/**
 * Deletes dead nodes that no task names, so that the journals of kept tasks go on saying which node ran them. Costs nothing while no node
 * is dead; else, for each dead one, a probe of the running tasks and of history by owner, and the ended tasks of the live table.
 */
export const forgetDeadNodes: Statement<null, BootId> = {
  name: "forget_dead_nodes",
  sql: (schema) => `
    DELETE FROM ${schema}.node n
     WHERE n.state = 'dead'
       AND NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.running} AND t.owner = n.boot_id)
       AND NOT EXISTS (SELECT FROM ${schema}.history h WHERE h.owner = n.boot_id)
       AND n.boot_id NOT IN (SELECT t.owner FROM ${schema}.task t WHERE t.state >= ${STATE.succeeded} AND t.owner IS NOT NULL)
    RETURNING n.boot_id::text AS boot_id`,
  values: () => [],
  read: (row) => row.boot_id as string,
};
