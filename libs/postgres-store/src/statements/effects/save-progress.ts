import type { NewProgress } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import { writeText } from "../../sql/task-rows.js";
import { GUARD, lockedExecution, type ReportWrite } from "./save-checkpoint.js";

const [p, values] = parameters<NewProgress & ReportWrite>()({
  ...GUARD,
  value: typed("float8", ({ value }) => value),
  note: typed("text", ({ note }) => (note === null ? null : writeText(note))),
});

/**
 * Stores a progress under a lock of the task's row, if that is still this execution's. No row: it is not. Plan: the
 * primary keys of tasks and of reports; usually a HOT update.
 */
export const saveProgress: Statement<NewProgress & ReportWrite, true> = {
  name: "save_progress",
  sql: (schema) => `
    WITH own AS MATERIALIZED (${lockedExecution(schema, p)})
    INSERT INTO ${schema}.handler_report (task_id, created_at, progress, note, progress_at)
    SELECT own.id, now, ${p.value}, ${p.note}, now FROM own CROSS JOIN (SELECT ${now(p.asOf)} AS now) clock
    ON CONFLICT (task_id) DO UPDATE
       SET progress = EXCLUDED.progress, note = EXCLUDED.note, progress_at = EXCLUDED.progress_at
    RETURNING true AS saved`,
  values,
  read: () => true,
};
