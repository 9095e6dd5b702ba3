import type { BootId, EpochMs } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { typeNames } from "./tell-joined.js";

export interface TellGone {
  kind: "DEAD" | "LEFT";
  bootId: BootId;
  /** What the caller knows beyond the rows. */
  facts: object;
  asOf: EpochMs | null;
}

/**
 * Writes the event of a node that this transaction has set to dead: with the types that no live node runs any more,
 * and, of a death, whether the present term was taken from the node, and what blocked its loop.
 *
 * Plan: the node by its key, the newest `TERM` by its index, all node rows, which are few.
 */
export const tellGone: Statement<TellGone, never> = {
  name: "tell_gone",
  sql: (schema) => `
    INSERT INTO ${schema}.cluster_event (at, kind, boot_id, label, name, facts)
    SELECT ${now("$1")}, $2::text, n.boot_id, n.label, n.name,
           $4::jsonb || jsonb_build_object('orphanedTypes', ${typeNames(
             schema,
             `t.id = ANY (n.type_ids)
                AND NOT EXISTS (SELECT FROM ${schema}.node o WHERE o.state = 'live' AND o.boot_id <> n.boot_id AND t.id = ANY (o.type_ids))`,
           )})
           || CASE WHEN $2::text = 'DEAD' THEN jsonb_build_object('led', coalesce(before.boot_id = n.boot_id::text, false), 'blocked', n.blocked)
                   ELSE '{}' END
      FROM ${schema}.node n
      LEFT JOIN LATERAL (
        SELECT e.facts -> 'before' ->> 'bootId' AS boot_id FROM ${schema}.cluster_event e
         WHERE e.kind = 'TERM' ORDER BY e.at DESC, e.id DESC LIMIT 1
      ) before ON true
     WHERE n.boot_id = $3::bigint`,
  values: ({ kind, bootId, facts, asOf }) => [asOf, kind, bootId, JSON.stringify(facts)],
  read: (row) => row as never,
};
