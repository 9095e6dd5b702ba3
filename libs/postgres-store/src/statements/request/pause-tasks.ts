import { SCHEDULE_KEY, type Task } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { resumedAt } from "../../sql/paused-sql.js";
import { withChange } from "../../sql/journal-sql.js";
import { lockTimeout, now, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";
import { isStillMeant, type TargetedRequest, targeted, targetId, targetValues } from "./target.js";

export interface PausedTask {
  changed: boolean;
  task: Task;
}

/**
 * Pauses a scheduled task: it is in no index of due tasks any more, so nothing claims it and nothing expires it, and it
 * keeps its key. For any other task in the live table, and for an occurrence of a schedule, it answers the locked row
 * unchanged. No row: the task is not in the live table.
 *
 * The row is locked before the clock is read, so a claim and a pause of one task come one after the other, and what
 * remains counts from the end of the wait. The journal is in the row itself.
 */
export const pauseTask: Statement<TargetedRequest, PausedTask> = {
  name: "pause_task",
  sql: (schema) =>
    holding(schema, {
      condition: `f.state = ${STATE.scheduled} AND NOT coalesce(starts_with(f.key, '${SCHEDULE_KEY}'), false)`,
      sets: `state = ${STATE.paused}, paused_at = c.now`,
      reason: "PAUSED",
      to: STATE.paused,
    }),
  values: targetValues,
  read: readPaused,
};

/**
 * Schedules a paused task again, due after what remained of its countdown; as {@link pauseTask} otherwise. A task that
 * has not started moves its scheduled time and start deadline by the time that it was paused, and every task its
 * `maxWait`.
 */
export const resumeTask: Statement<TargetedRequest, PausedTask> = {
  name: "resume_task",
  sql: (schema) =>
    holding(schema, {
      condition: `f.state = ${STATE.paused}`,
      sets: `state = ${STATE.scheduled}, ${resumedAt("t", "c.now")}`,
      reason: "RESUMED",
      to: STATE.scheduled,
    }),
  values: targetValues,
  read: readPaused,
};

interface Holding {
  /** Which locked rows `f` are changed. */
  condition: string;
  /** What the change of `t` at `c.now` sets. */
  sets: string;
  reason: string;
  to: number;
}

function holding(schema: QuotedSchema, { condition, sets, reason, to }: Holding): string {
  const change = { at: "c.now", reason: `'${reason}'`, actor: `${targeted.actor}::text`, count: "1", to: String(to) };
  return `
    WITH guard AS MATERIALIZED (${lockTimeout(targeted.lockLimit)}),
    target AS MATERIALIZED (${targetId(schema)}),
    found AS MATERIALIZED (
      SELECT t.* FROM guard CROSS JOIN ${schema}.task t
       WHERE t.id = (SELECT id FROM target) AND ${isStillMeant("t")}
         FOR UPDATE OF t
    ),
    changing AS MATERIALIZED (SELECT f.id, ${now(targeted.asOf)} AS now FROM found f WHERE ${condition}),
    changed AS (
      UPDATE ${schema}.task t
         SET ${sets}, version = t.version + 1, notes = ${withChange("t", change, () => "false")}
        FROM changing c
       WHERE t.id = c.id
      RETURNING t.*
    ),
    answer AS (
      SELECT true AS changed, e.* FROM changed e
      UNION ALL SELECT false, f.* FROM found f WHERE NOT EXISTS (SELECT FROM changing)
    )
    SELECT t.changed, ${TASK_FIELDS} FROM ${taskFrom(schema, "answer")}`;
}

function readPaused(row: Record<string, unknown>): PausedTask {
  return { changed: row.changed as boolean, task: readTask(row) };
}
