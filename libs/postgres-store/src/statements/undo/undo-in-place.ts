import type { Statement } from "../../connection/session.js";
import { withChange } from "../../sql/journal-sql.js";
import type { TaskColumn } from "../../sql/task-columns.js";
import * as undo from "./undoing.js";

/** The columns that come back as they were, but for the due time. */
const COLUMNS = [
  ...(["scheduled_at", "start_deadline_at", "wait_until", "paused_at", "paused_ms", "tags"] as const),
] as const satisfies readonly TaskColumn[];

/**
 * Undoes what has left a task where it was: a reschedule, a run now, a pause, a resume, a tag, and the retry of a task
 * that waits. The undo is a note of the row.
 */
export const undoInPlace: Statement<undo.UndoRequest, undo.UndoneTask> = {
  name: "undo_in_place",
  sql: (schema) => `
    WITH ${undo.pageOf(schema, "NOT (o.memory).is_whole")},
    ${undo.foundIn(schema, "task")},
    judged AS MATERIALIZED (
      SELECT f.*, clock.now, CASE WHEN ${undo.isDueMeanwhile("f")} THEN 'DUE_MEANWHILE' ELSE 'UNDONE' END AS outcome
        FROM found f CROSS JOIN clock
    ),
    put_back AS (
      UPDATE ${schema}.task t
         SET state = ${undo.before("j", "was")}, due_at = ${undo.dueAgain("j")},
             ${COLUMNS.map((column) => `${column} = ${undo.before("j", column)}`).join(", ")},
             version = t.version + 1, fence = ${undo.fenceBehind("j")}, notes = ${withChange("j", UNDONE, () => "false")}
        FROM judged j WHERE t.id = j.id AND j.outcome = 'UNDONE'
      RETURNING t.*, j.state AS was, j.outcome
    ),
    ${undo.told(schema, "judged")}
    ${undo.answered("put_back", "judged")}`,
  values: undo.waitingValues,
  read: undo.readUndone,
};

const UNDONE = {
  at: "j.now",
  reason: "'UNDONE'",
  actor: undo.waiting.actor,
  count: "1",
  to: undo.before("j", "was"),
};
