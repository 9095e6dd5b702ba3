import type { Revision } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * The nodes that do not say yet that they obey a revision; null: the revision in force is an earlier one. What a node
 * obeys is in its vitals; one that has said nothing obeys nothing.
 *
 * Plan: the nodes' rows, and a heartbeat for each.
 */
export const nodesBehind: Statement<Revision, string[] | null> = {
  name: "nodes_behind",
  sql: (schema) => `
    SELECT (r.timeline, r.number) < ($1::integer, $2::bigint) AS is_lost,
           (SELECT json_agg(n.label ORDER BY n.label COLLATE "C")
              FROM ${schema}.node n LEFT JOIN ${schema}.heartbeat h ON h.boot_id = n.boot_id
             WHERE n.state IN ('live', 'draining')
               AND (coalesce((h.vitals -> 'settings' ->> 0)::integer, 0), coalesce((h.vitals -> 'settings' ->> 1)::bigint, -1))
                   < ($1::integer, $2::bigint))::text AS labels
      FROM ${schema}.revision r WHERE r.name = 'settings'`,
  values: ({ timeline, number }) => [timeline, number],
  read: (row) => (row.is_lost === true ? null : (JSON.parse((row.labels as string | null) ?? "[]") as string[])),
};
