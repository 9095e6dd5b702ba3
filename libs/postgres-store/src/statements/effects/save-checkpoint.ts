import type { EpochMs, ExecutionRef, NewCheckpoint } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { asOf, lockLimit, parameters, typed } from "../../sql/parameters.js";
import { lockTimeout, now, stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { writePayload } from "../../sql/task-rows.js";

/** How a report is written. */
export interface ReportWrite {
  lockTimeoutMs: number;
  asOf: EpochMs | null;
}

/** The first parameters of a statement that writes a report: of which execution. */
export const GUARD = {
  asOf,
  lockLimit,
  id: ({ id }: ExecutionRef) => id,
  owner: ({ owner }: ExecutionRef) => owner,
  fence: ({ fence }: ExecutionRef) => fence,
};

const [p, values] = parameters<NewCheckpoint & ReportWrite>()({
  ...GUARD,
  state: typed("json", ({ state }) => writePayload(state)),
});

/**
 * Stores a checkpoint under a lock of the task's row, if that is still this execution's. No row: it is not. Plan: the
 * primary keys of tasks and of reports.
 */
export const saveCheckpoint: Statement<NewCheckpoint & ReportWrite, true> = {
  name: "save_checkpoint",
  sql: (schema) => `
    WITH own AS MATERIALIZED (${lockedExecution(schema, p)})
    INSERT INTO ${schema}.handler_report (task_id, created_at, checkpoint, checkpoint_at)
    SELECT own.id, now, ${p.state}, now FROM own CROSS JOIN (SELECT ${now(p.asOf)} AS now) clock
    ON CONFLICT (task_id) DO UPDATE SET checkpoint = EXCLUDED.checkpoint, checkpoint_at = EXCLUDED.checkpoint_at
    RETURNING true AS saved`,
  values,
  read: () => true,
};

/** The task's row, locked, if it is this execution's. */
export function lockedExecution(schema: QuotedSchema, p: Readonly<Record<keyof typeof GUARD, string>>): string {
  return `
      SELECT t.id FROM (${lockTimeout(p.lockLimit)}) guard CROSS JOIN ${schema}.task t
       WHERE t.id = ${p.id} AND ${stateById("t")} = ${STATE.running} AND t.owner = ${p.owner} AND t.fence = ${p.fence}
         FOR NO KEY UPDATE OF t`;
}
