import type { EpochMs, HintCursor, TaskHint, TypeScope } from "@tickwheel/core";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { asOf, listed, parameters, rows, typed } from "../../sql/parameters.js";
import { HINT_FIELDS, instant, now, span, unnested } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readHint } from "../../sql/task-rows.js";

export interface LoadWindow {
  scopes: readonly TypeScope[];
  horizonMs: number;
  after: HintCursor | null;
  limit: number;
  asOf: EpochMs | null;
}

const [p, values] = parameters<LoadWindow>()({
  asOf,
  horizonMs: ({ horizonMs }) => horizonMs,
  scopes: rows(({ scopes }: LoadWindow) => scopes, {
    type_id: listed("integer", ({ typeId }) => typeId),
    slots: listed("bytea", ({ slots }) => slotBytes(slots)),
  }),
  afterDueAt: ({ after }) => after?.dueAt ?? null,
  afterId: typed("uuid", ({ after }) => after?.id ?? BEFORE_ALL_IDS),
  limit: ({ limit }) => limit,
});

/**
 * The next page of tasks due within the horizon, over all types by (due, id). Plan: one range of the due index for each
 * type. The range ends at the horizon, so later tasks cost nothing, however many there are. Rows of other slots are
 * read in the index's order and left out.
 */
export const loadWindow: Statement<LoadWindow, TaskHint> = {
  name: "load_window",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} + ${span(p.horizonMs)} AS horizon)
    SELECT ${HINT_FIELDS}
      FROM ${unnested(p.scopes, "scope")}
     CROSS JOIN LATERAL (
       SELECT t.id, t.type_id, t.version, t.priority, t.due_at FROM ${schema}.task t
        WHERE t.state = ${STATE.scheduled} AND t.type_id = scope.type_id
          AND t.due_at <= (SELECT horizon FROM clock)
          AND (t.due_at, t.id) > (coalesce(${instant(p.afterDueAt)}, '-infinity'), ${p.afterId})
          AND get_bit(scope.slots, t.slot) = 1
        ORDER BY t.due_at, t.id LIMIT ${p.limit}
     ) t
     ORDER BY t.due_at, t.id LIMIT ${p.limit}`,
  values,
  read: readHint,
};

export function slotBytes(slots: TypeScope["slots"]): Buffer {
  return Buffer.from(slots.bytes.buffer, slots.bytes.byteOffset, slots.bytes.byteLength);
}
