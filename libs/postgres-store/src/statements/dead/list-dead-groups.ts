import type { DeadGroup, DeadGroupFilter, DeadGroupPlace, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { deadLetters, GROUP_FIELDS, hoursOf, readDeadGroup } from "../../sql/dead-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { instant, now, wholeMs } from "../../sql/sql-fragments.js";

/** A group of the page, or null; every row says the same of the whole list. */
export interface ListedDeadGroup {
  causes: number;
  tasks: number;
  group: DeadGroup | null;
  place: DeadGroupPlace | null;
}

type ListDeadGroups = DeadGroupFilter & { asOf: EpochMs | null };

const [p, values] = parameters<ListDeadGroups>()({
  asOf,
  namespace: typed("text", ({ namespace }) => namespace),
  types: typed("text[]", ({ types }) => types),
  reasons: typed("text[]", ({ reasons }) => reasons),
  error: typed("text", ({ error }) => error),
  since: typed("float8", ({ since }) => since),
  limit: typed("integer", ({ limit }) => limit),
  afterCount: typed("bigint", ({ after }) => after?.count ?? null),
  afterType: typed("integer", ({ after }) => after?.typeId ?? null),
  afterPrint: typed("bigint", ({ after }) => after?.print ?? null),
});

/**
 * A page of the groups of dead tasks, those with the most first. Plan: all groups of the namespace's types, at most
 * 1,001 of each, by the primary key; for those of the page their hours and one task, each by a primary key.
 */
export const listDeadGroups: Statement<ListDeadGroups, ListedDeadGroup> = {
  name: "list_dead_groups",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    fitting AS MATERIALIZED (
      SELECT g.*, y.type FROM ${schema}.type y JOIN ${schema}.dead_group g ON g.type_id = y.id
       WHERE y.namespace = ${p.namespace} AND (cardinality(${p.types}) = 0 OR y.type = ANY (${p.types}))
         AND (cardinality(${p.reasons}) = 0 OR g.reason = ANY (${p.reasons}))
         AND (${p.since} IS NULL OR g.last_at >= ${instant(p.since)})
         AND (${p.error} IS NULL OR position(lower(${p.error}) IN lower(g.title)) > 0 OR position(lower(${p.error}) IN lower(g.place)) > 0)
    ),
    page AS MATERIALIZED (
      SELECT f.*, f.sample_id AS id FROM fitting f
       WHERE ${p.afterCount} IS NULL OR (f.count, f.type_id, f.print) < (${p.afterCount}, ${p.afterType}, ${p.afterPrint})
       ORDER BY f.count DESC, f.type_id DESC, f.print DESC LIMIT ${p.limit}
    ),
    samples AS MATERIALIZED (${deadLetters(schema, "page")})
    SELECT a.causes, a.tasks, ${wholeMs("clock.now")} AS now, ${GROUP_FIELDS}, ${hoursOf(schema, "clock.now")} AS hours, s.letter
      FROM clock CROSS JOIN (SELECT count(*)::float8 AS causes, coalesce(sum(count), 0)::float8 AS tasks FROM fitting) a
      LEFT JOIN page g ON true LEFT JOIN samples s ON s.type_id = g.type_id AND s.print = g.print
     ORDER BY g.count DESC, g.type_id DESC, g.print DESC`,
  values,
  read: (row) => {
    const isGroup = row.type !== null;
    return {
      causes: Number(row.causes),
      tasks: Number(row.tasks),
      group: isGroup ? readDeadGroup(row) : null,
      place: isGroup ? { count: Number(row.count), typeId: Number(row.type_id), print: Number(row.print) } : null,
    };
  },
};
