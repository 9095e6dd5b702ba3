import type { EpochMs } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";
import { insertByKey, type InsertTasks, newTaskArrays, newTaskRows } from "./insert-tasks.js";

/** A task that was written, and the instant that all its times are counted from. */
export interface WrittenTask {
  id: string;
  now: EpochMs;
}

/**
 * `refreshOrInsertTasks` where no task asks for a refresh, at half its cost: it has no journal to write, and every
 * column of a new row but its instant is known to the caller. What it promises about holders is the same: one that was
 * met is locked until the transaction ends.
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
