import type { EpochMs, NewCheckpoint } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { lockTimeout, now, stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { writePayload } from "../../sql/task-rows.js";

/** How a report is written. */
export interface ReportWrite {
  lockTimeoutMs: number;
  asOf: EpochMs | null;
}

/**
 * Stores a checkpoint under a lock of the task's row, if that is still this execution's. No row: it is not. Plan: the
 * primary keys of tasks and of reports.
 */
export const saveCheckpoint: Statement<NewCheckpoint & ReportWrite, true> = {
  name: "save_checkpoint",
  sql: (schema) => `
    WITH own AS MATERIALIZED (${lockedExecution(schema)})
    INSERT INTO ${schema}.handler_report (task_id, created_at, checkpoint, checkpoint_at)
    SELECT own.id, now, $6::json, now FROM own CROSS JOIN (SELECT ${now("$1")} AS now) clock
    ON CONFLICT (task_id) DO UPDATE SET checkpoint = EXCLUDED.checkpoint, checkpoint_at = EXCLUDED.checkpoint_at
    RETURNING true AS saved`,
  values: ({ state, ...write }) => [...guardValues(write), writePayload(state)],
  read: () => true,
};

/** The task's row, locked, if it is this execution's. Takes {@link guardValues}. */
export function lockedExecution(schema: QuotedSchema): string {
  return `
      SELECT t.id FROM (${lockTimeout("$2")}) guard CROSS JOIN ${schema}.task t
       WHERE t.id = $3 AND ${stateById("t")} = ${STATE.running} AND t.owner = $4 AND t.fence = $5
         FOR NO KEY UPDATE OF t`;
}

export function guardValues({
  asOf,
  lockTimeoutMs,
  id,
  owner,
  fence,
}: ReportWrite & { id: string; owner: string; fence: number }): unknown[] {
  return [asOf, String(lockTimeoutMs), id, owner, fence];
}
