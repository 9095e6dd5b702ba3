import type { BootId, TaskState } from "@tickwheel/core";
import { parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import { stateOf } from "../../sql/state-codes.js";
import { readText } from "../../sql/task-rows.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/** A locked task, as it is now. */
export interface LockedOccurrence {
  id: string;
  state: TaskState;
  fence: number;
  owner: BootId | null;
  isCancelRequested: boolean;
}

const [p, values] = parameters<{ ids: readonly string[] }>()({
  ids: rows(({ ids }: { ids: readonly string[] }) => [...ids].sort(), { id: plain("uuid", (id) => id) }),
});

/**
 * Locks tasks in their newest version, before a verdict about them is carried out: a claim or an end that came first is
 * seen here, and one that comes later waits. In the order of their ids, after the schedules' rows [lock-order].
 *
 * Plan: one probe of the primary key per id.
 */
export const lockOccurrences: Statement<{ ids: readonly string[] }, LockedOccurrence> = {
  name: "lock_occurrences",
  sql: (schema) => textOf(schema, "FOR UPDATE OF t"),
  values,
  read: (row) => ({
    id: row.id as string,
    state: stateOf(row.state),
    fence: Number(row.fence),
    owner: readText(row.owner),
    isCancelRequested: row.is_asked as boolean,
  }),
};

/** The same, but it passes over those that others have locked. */
export const lockFreeOccurrences: Statement<{ ids: readonly string[] }, LockedOccurrence> = {
  ...lockOccurrences,
  name: "lock_free_occurrences",
  sql: (schema) => textOf(schema, "FOR UPDATE OF t SKIP LOCKED"),
};

function textOf(schema: QuotedSchema, lock: string): string {
  return `
    SELECT t.id::text AS id, t.state, t.fence, t.owner::text AS owner, t.cancel_requested_at IS NOT NULL AS is_asked
      FROM ${arrayRows(p.ids)} JOIN ${schema}.task t ON t.id = r.id ${lock}`;
}
