import type { BootId, ClusterEvent, EpochMs, EventCursor } from "@tickwheel/core";
import { epochMs, instant } from "../../sql/sql-fragments.js";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

export interface ListClusterEvents {
  /** Null: all. */
  kinds: readonly string[] | null;
  from: EpochMs | null;
  to: EpochMs | null;
  after: EventCursor | null;
  limit: number;
}

/** Events of all nodes, newest first. Plan: backwards over the index of (at, id). */
export const clusterEvents: Statement<ListClusterEvents, ClusterEvent> = {
  name: "cluster_events",
  sql: (schema) => pageOf(schema, "($1::text[] IS NULL)"),
  values: valuesOf,
  read: eventOf,
};

/** Events of some kinds. Plan: for each kind, backwards over its part of the index of (kind, at, id). */
export const clusterEventsOfKinds: Statement<ListClusterEvents, ClusterEvent> = {
  name: "cluster_events_of_kinds",
  sql: (schema) => `
    SELECT p.* FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL (${pageOf(schema, "e.kind = k.kind")}) p
     ORDER BY p.at DESC, p.place DESC LIMIT $6::integer`,
  values: valuesOf,
  read: eventOf,
};

/** Events of one incarnation. Plan: backwards over its part of the index of (boot_id, at, id). */
export const clusterEventsOfBoot: Statement<ListClusterEvents & { bootId: BootId }, ClusterEvent> = {
  name: "cluster_events_of_boot",
  sql: (schema) => pageOf(schema, `e.boot_id = $7::bigint AND ${OF_KINDS}`),
  values: (request) => [...valuesOf(request), request.bootId],
  read: eventOf,
};

/** Events of all incarnations under one label. Plan: backwards over its part of the index of (label, at, id). */
export const clusterEventsOfLabel: Statement<ListClusterEvents & { label: string }, ClusterEvent> = {
  name: "cluster_events_of_label",
  sql: (schema) => pageOf(schema, `e.label = $7::text AND ${OF_KINDS}`),
  values: (request) => [...valuesOf(request), request.label],
  read: eventOf,
};

const OF_KINDS = "($1::text[] IS NULL OR e.kind = ANY ($1))";

function pageOf(schema: QuotedSchema, condition: string): string {
  return `
    SELECT e.id::text AS id, e.id AS place, ${epochMs("e.at")} AS at, e.kind, e.boot_id::text AS boot_id, e.label, e.name,
           e.facts::text AS facts
      FROM ${schema}.cluster_event e
     WHERE ${condition}
       AND e.at >= coalesce(${instant("$2")}, '-infinity') AND e.at < coalesce(${instant("$3")}, 'infinity')
       AND (e.at, e.id) < (coalesce(${instant("$4")}, 'infinity'), coalesce($5::bigint, 0))
     ORDER BY e.at DESC, e.id DESC LIMIT $6::integer`;
}

function valuesOf({ kinds, from, to, after, limit }: ListClusterEvents): unknown[] {
  return [kinds, from, to, after?.at ?? null, after?.id ?? null, limit];
}

function eventOf(row: RawRow): ClusterEvent {
  return {
    id: row.id as string,
    at: readInstant(row.at),
    kind: row.kind as string,
    bootId: row.boot_id as string | null,
    label: row.label as string | null,
    name: row.name as string | null,
    facts: JSON.parse(row.facts as string) as unknown,
  } as ClusterEvent;
}
