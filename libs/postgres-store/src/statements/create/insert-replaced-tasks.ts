import type { EpochMs, NewTask } from "@tickwheel/core";
import { listed, ofEach, parameters, rows } from "../../sql/parameters.js";
import { now, numbered } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { insertSql, newRow, SENT_WITH_TAGS } from "./new-rows.js";

export interface ReplacedTask {
  task: NewTask;
  /** The actor of the task that replaces it. */
  replacedBy: string;
}

interface InsertReplaced {
  replaced: readonly ReplacedTask[];
  now: EpochMs;
}

const [p, values] = parameters<InsertReplaced>()({
  now: (request) => request.now,
  replaced: rows(({ replaced }: InsertReplaced) => replaced, {
    ...ofEach(({ task }: ReplacedTask) => task, SENT_WITH_TAGS),
    replaced_by: listed("text", ({ replacedBy }) => replacedBy),
  }),
});

const ROW = insertSql(
  {
    ...newRow("clock.now", { state: STATE.cancelled, keyLive: "false" }),
    version: "2",
    finished_at: "clock.now",
    reason: "'REPLACED'",
    cancelled_by: "r.replaced_by",
    tags: "r.tags::text[]",
  },
  ["version"],
);

/**
 * Writes keyed tasks that later tasks of the same request replace. Each row is written as its insert and its
 * replacement would have left it: ended, and without its key. So no lock is taken that anybody waits for. All have one
 * instant: that of the task that holds the key in the end.
 *
 * Plan: one scan of `unnest`, one insert per row, three index entries.
 */
export const insertReplacedTasks: Statement<InsertReplaced, never> = {
  name: "insert_replaced_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.now)} AS now),
    written AS (
      INSERT INTO ${schema}.task (${ROW.columns})
      SELECT ${ROW.values}
        FROM clock CROSS JOIN ${numbered(p.replaced, "place")}
    )
    SELECT WHERE false`,
  values,
  read: (row) => row as never,
};
