import type { EpochMs, NewTask, Task } from "@tickwheel/core";
import { writeJournal } from "../journal-sql.js";
import { movedAlong, now, TASK_FIELDS, taskFrom } from "../sql-fragments.js";
import type { Statement } from "../session.js";
import { STATE } from "../state-codes.js";
import { readTask } from "../task-rows.js";
import { insertByKey, newTaskArrays, newTaskRows } from "./insert-tasks.js";

export interface RefreshOrInsertTasks {
  /** At most one for each key. */
  tasks: readonly NewTask[];
  asOf: EpochMs | null;
}

/**
 * First of the two statements that write keyed tasks: inserts those whose key is free and refreshes scheduled holders for those that ask
 * for it. A task that is not in the answer met a holder that it did not change, and *that row is locked now* until the transaction ends
 * (a conflicting row is locked whether or not the condition of DO UPDATE holds), so the second statement may act on what it reads.
 *
 * In the order of (slot, type, key), which is the lock order. A refreshed row journals: it had 0 stored entries or at least two, so the
 * new count tells which of them were written before.
 *
 * Plan: one probe of the unique index on the live key for each row.
 */
export const refreshOrInsertTasks: Statement<RefreshOrInsertTasks, Task> = {
  name: "refresh_or_insert_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      ${insertByKey(schema, 3)}
         SET scheduled_at = excluded.scheduled_at, due_at = excluded.due_at, version = t.version + 1,
             start_deadline_at = ${movedAlong("t.start_deadline_at", { from: "t.scheduled_at", to: "excluded.scheduled_at" })},
             journal_count = t.journal_count + CASE WHEN t.journal_count = 0 THEN 2 ELSE 1 END
       WHERE t.state = ${STATE.scheduled} AND excluded.id = ANY ($2::uuid[])
      RETURNING t.*
    ),
    refreshed AS MATERIALIZED (
      SELECT w.id, w.state, w.created_at, w.claimed_at, w.finished_at, w.cancel_requested_at, w.owner, w.fence, w.attempt, w.reason,
             w.created_by, w.cancelled_by, r.created_by AS actor,
             w.journal_count AS seq, CASE WHEN w.journal_count = 2 THEN 0 ELSE w.journal_count - 1 END AS journal_count
        FROM written w JOIN ${newTaskRows(3)} ON r.slot = w.slot AND r.type_id = w.type_id AND r.key = w.key
       WHERE w.id <> r.id
    ),
    journalled AS (${writeJournal(schema, { source: "refreshed", own: OWN_ENTRY, recordedAt: "(SELECT now FROM clock)" })})
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "written")}`,
  values: ({ tasks, asOf }) => [
    asOf,
    tasks.filter((task) => task.onConflict === "refresh").map((task) => task.id),
    ...newTaskArrays(tasks),
  ],
  read: readTask,
};

const OWN_ENTRY = `
  SELECT id, seq, (SELECT now FROM clock), ${STATE.scheduled}, ${STATE.scheduled}, NULL, fence, attempt, 'REFRESHED', actor FROM refreshed`;
