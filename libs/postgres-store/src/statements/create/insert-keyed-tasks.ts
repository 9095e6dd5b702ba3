import type { EpochMs } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";
import { insertByKey, type InsertTasks, newTaskArrays, newTaskRows } from "./insert-tasks.js";

/** A written task, and the instant that all its times count from. */
export interface WrittenTask {
  id: string;
  now: EpochMs;
}

/**
 * `refreshOrInsertTasks` for tasks that do not ask for a refresh, at half the cost: it writes no journal, and the
 * caller knows every column of a new row but its instant. Its promise about holders is the same: a holder that was met
 * is locked until the transaction ends.
 *
 * At most one task for each key, in the order of (slot, type, key) [lock-order].
 */
export const insertKeyedTasks: Statement<InsertTasks, WrittenTask> = {
  name: "insert_keyed_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      ${insertByKey(schema, newTaskRows(2))} SET version = t.version WHERE false
      RETURNING t.id
    )
    SELECT written.id::text AS id, ${epochMs("clock.now")} AS now FROM clock CROSS JOIN written`,
  values: ({ tasks, asOf }) => [asOf, ...newTaskArrays(tasks)],
  read: (row) => ({ id: row.id as string, now: readInstant(row.now) }),
};
