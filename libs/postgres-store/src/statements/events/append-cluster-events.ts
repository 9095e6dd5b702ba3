import type { EpochMs, PastEvent } from "@tickwheel/core";
import { asOf, listed, parameters, rows } from "../../sql/parameters.js";
import { now, numbered, span } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

export interface AppendClusterEvents {
  events: readonly PastEvent[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<AppendClusterEvents>()({
  asOf,
  events: rows(({ events }: AppendClusterEvents) => events, {
    kind: listed("text", ({ kind }) => kind),
    boot_id: listed("bigint", ({ bootId }) => bootId),
    facts: listed("text", ({ facts }) => JSON.stringify(facts)),
    ago_ms: listed("float8", ({ agoMs }) => agoMs),
  }),
});

/**
 * Appends events, with the labels of their nodes as of now. A silence has one `SUSPECT` and at most one `RECOVERED`:
 * each is compared with the one before it, in these events or in the newest row. It locks nothing that is there.
 *
 * Plan: by key, a node and a former node for each event; of an event of silence, the newest rows of its node.
 */
export const appendClusterEvents: Statement<AppendClusterEvents, never> = {
  name: "append_cluster_events",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    told AS (
      SELECT d.*, d.kind IN ('SUSPECT', 'RECOVERED') AS is_of_silence,
             lag(d.kind) OVER (PARTITION BY d.boot_id, d.kind IN ('SUSPECT', 'RECOVERED') ORDER BY d.place) AS before
        FROM ${numbered(p.events, "place", "d")}
    )
    INSERT INTO ${schema}.cluster_event (at, kind, boot_id, label, name, facts)
    SELECT clock.now - ${span("d.ago_ms")}, d.kind, d.boot_id, coalesce(n.label, f.label), n.name, d.facts::jsonb
      FROM clock CROSS JOIN told d
      LEFT JOIN ${schema}.node n ON n.boot_id = d.boot_id
      LEFT JOIN ${schema}.former_node f ON f.boot_id = d.boot_id
      LEFT JOIN LATERAL (
        SELECT e.kind FROM ${schema}.cluster_event e
         WHERE d.is_of_silence AND e.boot_id = d.boot_id AND e.kind IN ('SUSPECT', 'RECOVERED')
         ORDER BY e.at DESC, e.id DESC LIMIT 1
      ) last ON true
     WHERE NOT d.is_of_silence OR (d.kind = 'SUSPECT') <> coalesce(coalesce(d.before, last.kind) = 'SUSPECT', false)
     ORDER BY d.place`,
  values,
  read: (row) => row as never,
};
