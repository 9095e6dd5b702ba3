import { type BootId, type EpochMs, MAX_EVENT_NAMES } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/** Writes the event of a node that this transaction has added. */
export const tellJoined: Statement<{ bootId: BootId; places: number; asOf: EpochMs | null }, never> = {
  name: "tell_joined",
  sql: (schema) => `
    INSERT INTO ${schema}.cluster_event (at, kind, boot_id, label, name, facts)
    SELECT ${now("$1")}, 'JOINED', n.boot_id, n.label, n.name,
           jsonb_build_object('version', n.version, 'types', ${typeNames(schema, "t.id = ANY (n.type_ids)")},
                              'typeCount', cardinality(n.type_ids), 'places', $3::integer)
      FROM ${schema}.node n WHERE n.boot_id = $2::bigint`,
  values: ({ bootId, places, asOf }) => [asOf, bootId, places],
  read: (row) => row as never,
};

/** Names of types `t` as a JSON array, sorted; of two namespaces' equal names, one. */
export function typeNames(schema: QuotedSchema, condition: string): string {
  return `(SELECT coalesce(jsonb_agg(named.type), '[]') FROM (
             SELECT DISTINCT t.type FROM ${schema}.type t WHERE ${condition} ORDER BY t.type LIMIT ${MAX_EVENT_NAMES}
           ) named)`;
}
