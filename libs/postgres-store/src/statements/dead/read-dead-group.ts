import {
  DEAD_LOOKED_AT,
  DEAD_NEWEST,
  DEAD_RETRYING_LOOKED_AT,
  type DeadGroupDetails,
  type DeadGroupRef,
  type EpochMs,
} from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import {
  deadLetters,
  GROUP_FIELDS,
  hoursOf,
  type LetterJson,
  readDeadGroup,
  readDeadLetter,
} from "../../sql/dead-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now, span, wholeMs } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

type ReadDeadGroup = DeadGroupRef & { asOf: EpochMs | null };

const [p, values] = parameters<ReadDeadGroup>()({
  asOf,
  namespace: typed("text", ({ namespace }) => namespace),
  type: typed("text", ({ type }) => type),
  print: typed("bigint", ({ print }) => print),
  keptMs: typed("float8", ({ keptMs }) => keptMs),
});

/**
 * A group, and what its newest tasks tell. Plan: one probe of the primary key of groups; the index of dead tasks of the
 * type, by the index alone, until there are enough with this print; their rows by the primary key; the first of the
 * index of due tasks of the type.
 */
export const readDeadGroupDetails: Statement<ReadDeadGroup, DeadGroupDetails> = {
  name: "read_dead_group",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    g AS MATERIALIZED (
      SELECT d.*, y.type, least(s.keep_dead_ms, ${p.keptMs}) AS kept_ms
        FROM ${schema}.type y JOIN ${schema}.dead_group d ON d.type_id = y.id AND d.print = ${p.print}
        LEFT JOIN ${schema}.type_setting s ON s.type_id = y.id
       WHERE y.namespace = ${p.namespace} AND y.type = ${p.type}
    ),
    found AS MATERIALIZED (
      SELECT f.id FROM g CROSS JOIN LATERAL (
        SELECT t.id FROM ${schema}.task t
         WHERE t.state = ${STATE.dead} AND t.type_id = g.type_id AND t.error_print = g.print
         ORDER BY t.type_id DESC, t.id DESC LIMIT ${DEAD_LOOKED_AT}) f
    ),
    looked AS MATERIALIZED (
      SELECT f.id, t.finished_at, n.label, n.version FROM found f
        CROSS JOIN LATERAL (SELECT finished_at, owner FROM ${schema}.task WHERE id = f.id AND (state + 0) = ${STATE.dead} OFFSET 0) t
        LEFT JOIN LATERAL (
          SELECT label, version FROM ${schema}.node WHERE boot_id = t.owner
          UNION ALL SELECT label, NULL FROM ${schema}.former_node WHERE boot_id = t.owner LIMIT 1) n ON true
    ),
    newest AS MATERIALIZED (SELECT id, finished_at FROM looked ORDER BY finished_at DESC, id DESC LIMIT ${DEAD_NEWEST}),
    shown AS MATERIALIZED (${deadLetters(schema, "newest")}),
    retrying AS MATERIALIZED (
      SELECT count(*) AS looked_at, count(*) FILTER (WHERE w.error_print = w.print) AS count
        FROM (SELECT t.error_print, g.print FROM g CROSS JOIN LATERAL (
                SELECT due.error_print FROM ${schema}.task due WHERE due.state = ${STATE.scheduled} AND due.type_id = g.type_id
                 ORDER BY due.type_id, due.due_at LIMIT ${DEAD_RETRYING_LOOKED_AT}) t) w
    )
    SELECT ${wholeMs("clock.now")} AS now, ${GROUP_FIELDS}, ${hoursOf(schema, "clock.now")} AS hours,
           (SELECT letter FROM shown ORDER BY finished_at DESC, id DESC LIMIT 1) AS letter,
           (SELECT json_agg(letter ORDER BY finished_at DESC, id DESC) FROM shown) AS newest,
           (SELECT count(*) FROM looked)::float8 AS looked_at, r.count::float8 AS retrying, r.looked_at >= ${DEAD_RETRYING_LOOKED_AT} AS is_at_least,
           (SELECT json_agg(json_build_object('name', c.label, 'count', c.count) ORDER BY c.count DESC, c.label)
              FROM (SELECT label, count(*) FROM looked GROUP BY 1) c) AS nodes,
           (SELECT json_agg(json_build_object('name', c.version, 'count', c.count) ORDER BY c.count DESC, c.version)
              FROM (SELECT version, count(*) FROM looked GROUP BY 1) c) AS versions,
           ${wholeMs(`g.first_at + ${span("g.kept_ms")}`)} AS kept_until
      FROM g CROSS JOIN clock CROSS JOIN retrying r`,
  values,
  read: (row) => ({
    ...readDeadGroup(row),
    lookedAt: Number(row.looked_at),
    nodes: named(row.nodes).map(({ name, count }) => ({ node: name, count })),
    versions: named(row.versions).map(({ name, count }) => ({ version: name, count })),
    retrying: { count: Number(row.retrying), isAtLeast: row.is_at_least as boolean },
    keptUntil: readInstant(row.kept_until),
    newest: ((row.newest ?? []) as LetterJson[]).map(readDeadLetter),
  }),
};

function named(told: unknown): { name: string | null; count: number }[] {
  return (told ?? []) as { name: string | null; count: number }[];
}
