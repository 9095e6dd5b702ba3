import type { DueScope, EpochMs, TaskHint } from "@tickwheel/core";
import { asOf, listed, parameters, rows } from "../../sql/parameters.js";
import { epochMs, HINT_FIELDS, instant, now, span, unnested } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readHint, readInstant } from "../../sql/task-rows.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { slotBytes } from "./load-window.js";

export interface FindDue {
  scopes: readonly DueScope[];
  stealAfterOverdueMs: number;
  limitPerType: number;
  asOf: EpochMs | null;
}
export interface DueRow {
  now: EpochMs;
  /** Null: nothing is due. */
  hint: TaskHint | null;
}

const [p, values] = parameters<FindDue>()({
  asOf,
  scopes: rows(({ scopes }: FindDue) => scopes.map((scope) => ({ ...scope, from: lowerBound(scope) })), {
    own_type_id: listed("integer", ({ typeId }) => typeId),
    slots: listed("bytea", ({ slots }) => slotBytes(slots)),
    from_ms: listed("float8", ({ from }) => from.dueAt),
    from_id: listed("uuid", ({ from }) => from.id),
    before_ms: listed("float8", ({ before }) => before ?? null),
  }),
  stealAfterOverdueMs: ({ stealAfterOverdueMs }) => stealAfterOverdueMs,
  limitPerType: ({ limitPerType }) => limitPerType,
});

/**
 * The due tasks, oldest first, at most a page per type. Plan: one range of the due index for each type, from the soft
 * lower bound (or the page's cursor) to now or to the upper bound. So no row of another type is read, and none that is
 * not due. Rows of other slots that are not overdue enough are read and left out; they span at most
 * `stealAfterOverdueMs` of the index.
 *
 * The clock is in a scalar sub-select, so that it bounds the index. Outside it, the volatile clock would only filter
 * the whole type.
 */
export const findDue: Statement<FindDue, DueRow> = {
  name: "find_due",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now)
    SELECT ${epochMs("clock.now")} AS now, ${HINT_FIELDS}
      FROM clock LEFT JOIN (
        ${unnested(p.scopes, "scope")}
        CROSS JOIN LATERAL (
          SELECT t.id, t.type_id, t.version, t.priority, t.due_at FROM ${schema}.task t
           WHERE t.state = ${STATE.scheduled} AND t.type_id = scope.own_type_id
             AND t.due_at <= (SELECT now FROM clock)
             AND t.due_at < coalesce(${instant("scope.before_ms")}, 'infinity')
             AND (t.due_at, t.id) > (coalesce(${instant("scope.from_ms")}, '-infinity'), scope.from_id)
             AND (get_bit(scope.slots, t.slot) = 1 OR t.due_at <= (SELECT now - ${span(p.stealAfterOverdueMs)} FROM clock))
           ORDER BY t.due_at, t.id LIMIT ${p.limitPerType}
        ) t
      ) ON true
     ORDER BY t.due_at, t.id`,
  values,
  read: (row) => ({ now: readInstant(row.now), hint: row.id === null ? null : readHint(row) }),
};

/**
 * The higher of a scope's two bounds. The bound is exclusive, so an inclusive instant becomes a place before all ids of
 * that instant.
 */
function lowerBound({ notBefore, after }: DueScope): { dueAt: EpochMs | null; id: string } {
  if (after && after.dueAt >= (notBefore ?? -Infinity)) return after;
  return { dueAt: notBefore, id: BEFORE_ALL_IDS };
}
