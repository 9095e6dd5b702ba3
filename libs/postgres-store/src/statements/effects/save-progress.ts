import type { NewProgress } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";
import { writeText } from "../../sql/task-rows.js";
import { guardValues, lockedExecution, type ReportWrite } from "./save-checkpoint.js";

/**
 * Stores a progress under a lock of the task's row, if that is still this execution's. No row: it is not. Plan: the
 * primary keys of tasks and of reports; usually a HOT update.
 */
export const saveProgress: Statement<NewProgress & ReportWrite, true> = {
  name: "save_progress",
  sql: (schema) => `
    WITH own AS MATERIALIZED (${lockedExecution(schema)})
    INSERT INTO ${schema}.handler_report (task_id, created_at, progress, note, progress_at)
    SELECT own.id, now, $6::float8, $7::text, now FROM own CROSS JOIN (SELECT ${now("$1")} AS now) clock
    ON CONFLICT (task_id) DO UPDATE
       SET progress = EXCLUDED.progress, note = EXCLUDED.note, progress_at = EXCLUDED.progress_at
    RETURNING true AS saved`,
  values: ({ value, note, ...write }) => [...guardValues(write), value, note === null ? null : writeText(note)],
  read: () => true,
};
