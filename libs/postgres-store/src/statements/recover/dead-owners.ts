import { type BootId, CONSUMER } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * Owners of running tasks that are dead or gone. Consumers are none: their leases end. Plan: the index is read from
 * owner to owner, with one probe per owner instead of one per task.
 */
export const deadOwners: Statement<null, BootId> = {
  name: "dead_owners",
  sql: (schema) => {
    const running = `SELECT t.owner FROM ${schema}.task t WHERE t.state = ${STATE.running}`;
    return `
    WITH RECURSIVE owners AS (
      (${running} AND t.owner > ${CONSUMER} ORDER BY t.owner LIMIT 1)
      UNION ALL
      SELECT next.owner FROM owners CROSS JOIN LATERAL (${running} AND t.owner > owners.owner ORDER BY t.owner LIMIT 1) next
    )
    SELECT o.owner::text AS owner FROM owners o LEFT JOIN ${schema}.node n ON n.boot_id = o.owner
     WHERE coalesce(n.state, 'dead') = 'dead'`;
  },
  values: () => [],
  read: (row) => row.owner as string,
};
