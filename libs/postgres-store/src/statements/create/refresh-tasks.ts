import { type EpochMs, type NewTask, slotOfId, type Task } from "@tickwheel/core";
import { atNow, pausedMs } from "../../sql/paused-sql.js";
import { withChange } from "../../sql/journal-sql.js";
import { asOf, listed, parameters, rows } from "../../sql/parameters.js";
import { instant, now, span, TASK_FIELDS, taskFrom, unnested } from "../../sql/sql-fragments.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";
import { atOf, delayOf, dueAt, wholeOrNull } from "./new-rows.js";
import { heldBy } from "./find-key-holders.js";
import { movedDue, setMovedDue } from "./moved-due.js";

export interface RefreshTasks {
  /** Tasks whose keys' holders this transaction has locked; at most one for each key. */
  tasks: readonly NewTask[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<RefreshTasks>()({
  asOf,
  tasks: rows(({ tasks }: RefreshTasks) => tasks, {
    slot: listed("smallint", ({ id }) => slotOfId(id)),
    type_id: listed("integer", ({ typeId }) => typeId),
    key: listed("text", ({ key }) => key),
    at_ms: listed("float8", ({ due }) => atOf(due)),
    delay_ms: listed("float8", ({ due }) => delayOf(due)),
    earliest_ms: listed("float8", ({ folded }) => wholeOrNull(folded?.earliestAt)),
    least_delay_ms: listed("float8", ({ folded }) => wholeOrNull(folded?.leastDelayMs)),
    max_wait_ms: listed("float8", ({ maxWaitMs }) => wholeOrNull(maxWaitMs)),
    actor: listed("text", ({ actor }) => actor),
    count: listed("integer", ({ folded }) => 1 + (folded?.count ?? 0)),
  }),
});

/**
 * Moves the due times of holders that wait; those that are paused stay paused, with a new countdown. A task that is not
 * in the answer met a holder that has started, or none.
 *
 * The statement before this one has locked the holders, so the clock is read after that wait: a task that became due
 * meanwhile stays due. Journalled in the row itself: refreshes in succession are folded.
 *
 * Plan: one probe of the unique index on the live key and one of the primary key for each row. The LIMIT leaves none
 * out, as in `arrayRows`.
 */
export const refreshTasks: Statement<RefreshTasks, Task> = {
  name: "refresh_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    ${refreshing(schema, `(SELECT * FROM ${unnested(p.tasks)} LIMIT cardinality(${p.tasks.arrays[0]})) r`)}
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "written")}`,
  values,
  read: readTask,
};

/**
 * Its two common table expressions, below `clock`.
 *
 * @param tasks the rows `r`, as a relation
 */
export function refreshing(schema: QuotedSchema, tasks: string): string {
  return `refreshed AS MATERIALIZED (
      SELECT h.id, r.actor, r.count, ${CAP} AS wait_until,
             ${movedDue(atNow("h", "due_at", "clock.now"), { now: "clock.now", first: FIRST, last: LAST, waitUntil: CAP })} AS due_at
        FROM clock CROSS JOIN ${tasks} ${heldBy(schema, "h")}
       WHERE h.state <= ${STATE.scheduled} AND h.started_at IS NULL
    ),
    written AS (
      UPDATE ${schema}.task t SET ${setMovedDue("clock.now")}, notes = ${NOTES}
        FROM clock CROSS JOIN refreshed m WHERE t.id = m.id
      RETURNING t.*
    )`;
}

const LAST = dueAt("r.at_ms", "r.delay_ms", "clock.now");
const FIRST = `least(${LAST}, ${instant("r.earliest_ms")}, clock.now + ${span("r.least_delay_ms")})`;
const CAP = `least(${atNow("h", "wait_until", "clock.now")}, h.created_at + ${span(`r.max_wait_ms + coalesce(${pausedMs("h", "clock.now")}, 0)`)})`;
const NOTES = withChange(
  "t",
  { at: "clock.now", reason: "'REFRESHED'", actor: "m.actor", count: "m.count" },
  (note) => `${note} ->> 'reason' = 'REFRESHED'`,
);
