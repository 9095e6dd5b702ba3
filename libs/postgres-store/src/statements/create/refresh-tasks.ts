import { type EpochMs, type NewTask, slotOfId, type Task } from "@tickwheel/core";
import { atNow, pausedMs } from "../../sql/paused-sql.js";
import { withChange } from "../../sql/journal-sql.js";
import { instant, now, span, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";
import { atOf, delayOf, dueAt, wholeOrNull } from "./insert-tasks.js";
import { heldBy } from "./find-key-holders.js";
import { movedDue, setMovedDue } from "./moved-due.js";

export interface RefreshTasks {
  /** Of keys whose holders this transaction has locked; at most one for each key. */
  tasks: readonly NewTask[];
  asOf: EpochMs | null;
}

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
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    refreshed AS MATERIALIZED (
      SELECT h.id, r.actor, r.count, ${CAP} AS wait_until,
             ${movedDue(atNow("h", "due_at", "clock.now"), { now: "clock.now", first: FIRST, last: LAST, waitUntil: CAP })} AS due_at
        FROM clock CROSS JOIN (SELECT * FROM ${ROWS} LIMIT cardinality($2::smallint[])) r ${heldBy(schema, "h")}
       WHERE h.state <= ${STATE.scheduled} AND h.started_at IS NULL
    ),
    written AS (
      UPDATE ${schema}.task t SET ${setMovedDue("clock.now")}, notes = ${NOTES}
        FROM clock CROSS JOIN refreshed m WHERE t.id = m.id
      RETURNING t.*
    )
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "written")}`,
  values: ({ tasks, asOf }) => [
    asOf,
    tasks.map(({ id }) => slotOfId(id)),
    tasks.map(({ typeId }) => typeId),
    tasks.map(({ key }) => key),
    tasks.map(({ due }) => atOf(due)),
    tasks.map(({ due }) => delayOf(due)),
    tasks.map(({ folded }) => wholeOrNull(folded?.earliestAt)),
    tasks.map(({ folded }) => wholeOrNull(folded?.leastDelayMs)),
    tasks.map(({ maxWaitMs }) => wholeOrNull(maxWaitMs)),
    tasks.map(({ actor }) => actor),
    tasks.map(({ folded }) => 1 + (folded?.count ?? 0)),
  ],
  read: readTask,
};

const COLUMNS = [
  ...["slot smallint", "type_id integer", "key text", "at_ms float8", "delay_ms float8"],
  ...["earliest_ms float8", "least_delay_ms float8", "max_wait_ms float8", "actor text", "count integer"],
].map((column) => column.split(" ") as [name: string, type: string]);
const ROWS = `unnest(${COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(", ")}) AS r (${COLUMNS.map(([name]) => name).join(", ")})`;
const LAST = dueAt("r.at_ms", "r.delay_ms", "clock.now");
const FIRST = `least(${LAST}, ${instant("r.earliest_ms")}, clock.now + ${span("r.least_delay_ms")})`;
const CAP = `least(${atNow("h", "wait_until", "clock.now")}, h.created_at + ${span(`r.max_wait_ms + coalesce(${pausedMs("h", "clock.now")}, 0)`)})`;
const NOTES = withChange(
  "t",
  { at: "clock.now", reason: "'REFRESHED'", actor: "m.actor", count: "m.count" },
  (note) => `${note} ->> 'reason' = 'REFRESHED'`,
);
