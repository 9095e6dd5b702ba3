import type { EpochMs, Retention } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, instant, now } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

/** Where a page ended: the next one goes on behind it. */
export interface EffectPlace {
  createdAt: EpochMs;
  taskId: string;
}
export interface ForgetEffects extends Retention {
  after: EffectPlace | null;
  /** Rows of a page. */
  limit: number;
  asOf: EpochMs | null;
}
/** A page of rows that were looked at. */
export interface ForgottenEffects {
  looked: number;
  last: EffectPlace;
}

const FIRST_PLACE: EffectPlace = { createdAt: 0, taskId: "00000000-0000-0000-0000-000000000000" };

const [p, values] = parameters<ForgetEffects>()({
  asOf,
  historyDays: typed("float8", ({ historyRetentionDays }) => historyRetentionDays),
  deadDays: typed("float8", ({ deadRetentionDays }) => deadRetentionDays),
  afterCreatedAt: ({ after }) => (after ?? FIRST_PLACE).createdAt,
  afterTaskId: typed("uuid", ({ after }) => (after ?? FIRST_PLACE).taskId),
  limit: ({ limit }) => limit,
});

/**
 * Looks at a page of the oldest steps, and deletes those of tasks that are gone: neither live nor in history. A task
 * can be gone only when its step is older than the shorter retention, so younger rows are not looked at.
 *
 * One snapshot sees a task in one of both tables while it moves from one to the other, and one that is in neither never
 * comes back. Plan: a range of the index by time, per row a probe of the primary key of tasks and of history's index.
 */
export const forgetSteps: Statement<ForgetEffects, ForgottenEffects> = forgetting("step");

/** The same for checkpoints and progress. */
export const forgetReports: Statement<ForgetEffects, ForgottenEffects> = forgetting("handler_report");

function forgetting(table: "step" | "handler_report"): Statement<ForgetEffects, ForgottenEffects> {
  return {
    name: `forget_${table}s`,
    sql: (schema) => `
    WITH page AS MATERIALIZED (
      SELECT e.created_at, e.task_id FROM ${schema}.${table} e
       WHERE e.created_at < (SELECT ${now(p.asOf)} - least(${p.historyDays}, ${p.deadDays}) * interval '1 day')
         AND (e.created_at, e.task_id) > (${instant(p.afterCreatedAt)}, ${p.afterTaskId})
       ORDER BY e.created_at, e.task_id LIMIT ${p.limit}
    ),
    gone AS MATERIALIZED (
      SELECT DISTINCT p.task_id FROM page p
       WHERE NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.id = p.task_id)
         AND NOT EXISTS (SELECT FROM ${schema}.history h WHERE h.id = p.task_id)
    ),
    forgotten AS (DELETE FROM ${schema}.${table} e USING gone g WHERE e.task_id = g.task_id)
    SELECT (SELECT count(*) FROM page)::integer AS looked, ${epochMs("p.created_at")} AS created_ms, p.task_id::text AS task_id
      FROM page p ORDER BY p.created_at DESC, p.task_id DESC LIMIT 1`,
    values,
    read: (row) => ({
      looked: Number(row.looked),
      last: { createdAt: readInstant(row.created_ms), taskId: row.task_id as string },
    }),
  };
}
