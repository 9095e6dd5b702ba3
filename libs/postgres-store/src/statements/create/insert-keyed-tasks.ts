import type { EpochMs } from "@tickwheel/core";
import { asOf, parameters, rows } from "../../sql/parameters.js";
import { epochMs, now, numbered } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";
import { insertByKey, type InsertTasks, WITH_EXTRAS } from "./insert-tasks.js";
import { SENT, SENT_WITH_EXTRAS } from "./new-rows.js";

/** A written task, and the instant that all its times count from. */
export interface WrittenTask {
  id: string;
  now: EpochMs;
}

const [p, values] = parameters<InsertTasks>()({ asOf, tasks: rows(({ tasks }: InsertTasks) => tasks, SENT) });

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
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    written AS (
      ${insertByKey(schema, numbered(p.tasks, "place"))}
      RETURNING t.id
    )
    SELECT written.id::text AS id, ${epochMs("clock.now")} AS now FROM clock CROSS JOIN written`,
  values,
  read: (row) => ({ id: row.id as string, now: readInstant(row.now) }),
};

const [extras, extrasValues] = parameters<InsertTasks>()({
  asOf,
  tasks: rows(({ tasks }: InsertTasks) => tasks, SENT_WITH_EXTRAS),
});

/** The same for tasks of which some have extras, see `insertTasksWithExtras`. */
export const insertKeyedTasksWithExtras: Statement<InsertTasks, WrittenTask> = {
  ...insertKeyedTasks,
  name: "insert_keyed_tasks_with_extras",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(extras.asOf)} AS now),
    written AS (
      ${insertByKey(schema, numbered(extras.tasks, "place"), WITH_EXTRAS)}
      RETURNING t.id
    )
    SELECT written.id::text AS id, ${epochMs("clock.now")} AS now FROM clock CROSS JOIN written`,
  values: extrasValues,
};
