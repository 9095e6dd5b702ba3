import type { EpochMs, NewTask } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { NEW_TASK_COLUMNS, newTaskArrays, newTaskRows, newTaskValues, TAGS } from "./insert-tasks.js";

export interface ReplacedTask {
  task: NewTask;
  /** The actor of the task that replaces it. */
  replacedBy: string;
}

/**
 * Writes keyed tasks that later tasks of the same request replace. Each row is written as its insert and its
 * replacement would have left it: ended, and without its key. So no lock is taken that anybody waits for. All have one
 * instant: that of the task that holds the key in the end.
 *
 * Plan: one scan of `unnest`, one insert per row, three index entries.
 */
export const insertReplacedTasks: Statement<{ replaced: readonly ReplacedTask[]; now: EpochMs }, never> = {
  name: "insert_replaced_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      INSERT INTO ${schema}.task (${NEW_TASK_COLUMNS}, version, finished_at, reason, cancelled_by, tags)
      SELECT ${newTaskValues("r", "clock.now", { state: STATE.cancelled, keyLive: "false" })},
             2, clock.now, 'REPLACED', r.replaced_by, r.tags::text[]
        FROM clock CROSS JOIN ${newTaskRows(2, [TAGS, { name: "replaced_by", type: "text" }])}
    )
    SELECT WHERE false`,
  values: ({ replaced, now: at }) => {
    const tasks = replaced.map(({ task }) => task);
    return [at, ...newTaskArrays(tasks, [TAGS]), replaced.map(({ replacedBy }) => replacedBy)];
  },
  read: (row) => row as never,
};
