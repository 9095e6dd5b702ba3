import type { EpochMs, Retention } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
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

const FIRST_PLACE: EffectPlace = { createdAt: 0, taskId: "00000000-0000-0000-0000-000000000000" };

function forgetting(table: "step" | "handler_report"): Statement<ForgetEffects, ForgottenEffects> {
  return {
    name: `forget_${table}s`,
    sql: (schema) => `
    WITH page AS MATERIALIZED (
      SELECT e.created_at, e.task_id FROM ${schema}.${table} e
       WHERE e.created_at < (SELECT ${now("$1")} - least($2::float8, $3::float8) * interval '1 day')
         AND (e.created_at, e.task_id) > (${instant("$4")}, $5::uuid)
       ORDER BY e.created_at, e.task_id LIMIT $6
    ),
    gone AS MATERIALIZED (
      SELECT DISTINCT p.task_id FROM page p
       WHERE NOT EXISTS (SELECT FROM ${schema}.task t WHERE t.id = p.task_id)
         AND NOT EXISTS (SELECT FROM ${schema}.history h WHERE h.id = p.task_id)
    ),
    forgotten AS (DELETE FROM ${schema}.${table} e USING gone g WHERE e.task_id = g.task_id)
    SELECT (SELECT count(*) FROM page)::integer AS looked, ${epochMs("p.created_at")} AS created_ms, p.task_id::text AS task_id
      FROM page p ORDER BY p.created_at DESC, p.task_id DESC LIMIT 1`,
    values: ({ asOf, historyRetentionDays, deadRetentionDays, after, limit }) => {
      const { createdAt, taskId } = after ?? FIRST_PLACE;
      return [asOf, historyRetentionDays, deadRetentionDays, createdAt, taskId, limit];
    },
    read: (row) => ({
      looked: Number(row.looked),
      last: { createdAt: readInstant(row.created_ms), taskId: row.task_id as string },
    }),
  };
}
