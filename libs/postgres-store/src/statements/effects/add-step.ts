import { type EpochMs, MAX_STEPS, type NewStep, type StepReply } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";

/**
 * Stores a step under the lock of its task's row, which the statement before has taken: so this one sees all steps of
 * the task, waits for nobody, and counts them rightly.
 *
 * Plan: the primary key of steps.
 */
export const addStep: Statement<NewStep & { asOf: EpochMs | null }, Exclude<StepReply, "stale">> = {
  name: "add_step",
  sql: (schema) => `
    WITH own AS MATERIALIZED (SELECT s.name FROM ${schema}.step s WHERE s.task_id = $2),
    added AS (
      INSERT INTO ${schema}.step (task_id, name, result, created_at)
      SELECT $2::uuid, $3::text, $4::json, ${now("$1")} WHERE (SELECT count(*) FROM own) < ${MAX_STEPS}
      ON CONFLICT (task_id, name) DO NOTHING
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM added) THEN 'stored'
                WHEN EXISTS (SELECT FROM own WHERE own.name = $3) THEN 'present' ELSE 'full' END AS reply`,
  values: ({ id, name, result, asOf }) => [asOf, id, name, result],
  read: (row) => row.reply as Exclude<StepReply, "stale">,
};
