import { type BootId, CONSUMER } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/** Above all boot ids, which have 63 bits. */
const ABOVE_ALL = "9223372036854775807";

/**
 * Owners of running tasks that are dead or gone. Consumers are none: their leases end.
 *
 * Plan: two probes of the index of running tasks for each row of the table of nodes. One is for the node itself, if it
 * is dead, from the end of its entries. One is for owners between it and the next node: those that are gone. So no
 * entry of a live node is read: while somebody holds a snapshot, its entries are all tasks that it has run since.
 */
export const deadOwners: Statement<null, BootId> = {
  name: "dead_owners",
  sql: (schema) => {
    const running = `SELECT t.owner FROM ${schema}.task t WHERE t.state = ${STATE.running}`;
    return `
    WITH RECURSIVE gaps AS (
      SELECT b.boot_id AS below, coalesce(lead(b.boot_id) OVER (ORDER BY b.boot_id), ${ABOVE_ALL}) AS above
        FROM (SELECT boot_id FROM ${schema}.node UNION ALL SELECT ${CONSUMER}::bigint) b
    ),
    gone AS (
      SELECT o.owner, g.above FROM gaps g CROSS JOIN LATERAL (
        ${running} AND t.owner > g.below AND t.owner < g.above ORDER BY t.owner LIMIT 1) o
      UNION ALL
      SELECT o.owner, gone.above FROM gone CROSS JOIN LATERAL (
        ${running} AND t.owner > gone.owner AND t.owner < gone.above ORDER BY t.owner LIMIT 1) o
    )
    SELECT owner::text AS owner FROM gone
     UNION ALL
    SELECT o.owner::text AS owner FROM ${schema}.node n CROSS JOIN LATERAL (
      ${running} AND t.owner >= n.boot_id AND t.owner <= n.boot_id ORDER BY t.owner DESC LIMIT 1) o
     WHERE n.state = 'dead'`;
  },
  values: () => [],
  read: (row) => row.owner as string,
};
