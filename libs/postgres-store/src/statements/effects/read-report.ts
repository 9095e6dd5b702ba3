import type { HandlerReport } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { epochMs } from "../../sql/sql-fragments.js";
import { readInstant, readPayload, readText } from "../../sql/task-rows.js";

/** What a task's handler has told last. No row: it has told nothing. Plan: the primary key of reports. */
export const readReport: Statement<{ taskId: string }, HandlerReport> = {
  name: "read_report",
  sql: (schema) => `
    SELECT r.checkpoint::text AS checkpoint, ${epochMs("r.checkpoint_at")} AS checkpoint_ms,
           r.progress, r.note, ${epochMs("r.progress_at")} AS progress_ms
      FROM ${schema}.handler_report r WHERE r.task_id = $1`,
  values: ({ taskId }) => [taskId],
  read: (row) => ({
    checkpoint:
      row.checkpoint_ms === null ? null : { state: readPayload(row.checkpoint), at: readInstant(row.checkpoint_ms) },
    progress:
      row.progress_ms === null
        ? null
        : { value: Number(row.progress), note: readText(row.note), at: readInstant(row.progress_ms) },
  }),
};
