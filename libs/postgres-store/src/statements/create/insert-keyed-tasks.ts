import type { EpochMs } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";
import { EXTRAS, insertByKey, type InsertTasks, newTaskArrays, newTaskRows, WITH_EXTRAS } from "./insert-tasks.js";

/** A written task, and the instant that all its times count from. */
export interface WrittenTask {
  id: string;
  now: EpochMs;
}

/**
 * First of the statements that write keyed tasks: inserts those whose keys are free. A task that is not in the answer
 * met a holder, which it did not change, and *that row is locked now* until the transaction ends. So the statements
 * that follow may act on what they read [key-first], and their clock is read after the wait for the lock.
 *
 * At most one task for each key, in the order of (slot, type, key) [lock-order].
 *
 * Plan: one probe of the unique index on the live key for each row.
 */
export const insertKeyedTasks: Statement<InsertTasks, WrittenTask> = {
  name: "insert_keyed_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      ${insertByKey(schema, newTaskRows(2))}
      RETURNING t.id
    )
    SELECT written.id::text AS id, ${epochMs("clock.now")} AS now FROM clock CROSS JOIN written`,
  values: ({ tasks, asOf }) => [asOf, ...newTaskArrays(tasks)],
  read: (row) => ({ id: row.id as string, now: readInstant(row.now) }),
};

/** The same for tasks of which some have extras, see `insertTasksWithExtras`. */
export const insertKeyedTasksWithExtras: Statement<InsertTasks, WrittenTask> = {
  ...insertKeyedTasks,
  name: "insert_keyed_tasks_with_extras",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      ${insertByKey(schema, newTaskRows(2, EXTRAS), WITH_EXTRAS)}
      RETURNING t.id
    )
    SELECT written.id::text AS id, ${epochMs("clock.now")} AS now FROM clock CROSS JOIN written`,
  values: ({ tasks, asOf }) => [asOf, ...newTaskArrays(tasks, EXTRAS)],
};
