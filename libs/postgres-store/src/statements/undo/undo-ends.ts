import type { QuotedSchema, Statement } from "../../connection/session.js";
import { tallyMoves } from "../../sql/batch-sql.js";
import { tallyDeaths } from "../../sql/dead-sql.js";
import { type EntrySql, withReturn } from "../../sql/journal-sql.js";
import { type ColumnChanges, withChanges } from "../../sql/sql-fragments.js";
import { TASK_COLUMNS } from "../../sql/task-columns.js";
import { REMEMBERED } from "../operations/acting.js";
import { countArchived } from "../operations/count-archived.js";
import * as undo from "./undoing.js";

/**
 * Undoes a retry or a restore of a task that had ended: it ends again as it had, in the table where it was.
 *
 * The row tells its end again. So what the retry has stored of the journal is deleted, and both the retry and the undo
 * are noted behind the end.
 */
export const undoRetry: Statement<undo.UndoRequest, undo.UndoneTask> = {
  name: "undo_retry",
  sql: (schema) => `
    WITH ${undo.pageOf(schema, "(o.memory).is_whole")},
    ${againFrom(schema, "task")},
    left_task AS (DELETE FROM ${schema}.task t USING again a WHERE t.id = a.id AND a.goes_back),
    archived AS (INSERT INTO ${schema}.history (${COLUMNS}) SELECT ${COLUMNS} FROM again WHERE goes_back),
    counted AS (${countArchived(schema, "again", { sign: "", which: "goes_back" })}),
    in_place AS (
      UPDATE ${schema}.task t SET ${Object.keys(ENDED_AGAIN)
        .map((column) => `${column} = a.${column}`)
        .join(", ")}
        FROM again a WHERE t.id = a.id AND NOT a.goes_back
    ),
    tallied AS (${tallyMoves(schema, "again", { to: "m.state" })}),
    mourned AS (${tallyDeaths(schema, "again", { isNew: false })}),
    ${undo.told(schema, "again")}
    ${undo.answered("again")}`,
  values: undo.endingValues,
  read: undo.readUndone,
};

/** Undoes a discard: the task is dead again, in the live table; its journal as {@link undoRetry} does it. */
export const undoDiscard: Statement<undo.UndoRequest, undo.UndoneTask> = {
  name: "undo_discard",
  sql: (schema) => `
    WITH ${undo.pageOf(schema)},
    ${againFrom(schema, "history")},
    left_history AS (DELETE FROM ${schema}.history h USING ended e WHERE h.id = e.id AND h.finished_at = e.finished_at),
    uncounted AS (${countArchived(schema, "ended", { sign: "-", which: "true" })}),
    dead_again AS (INSERT INTO ${schema}.task (${COLUMNS}) SELECT ${COLUMNS} FROM again),
    tallied AS (${tallyMoves(schema, "again", { from: "m.was", to: "m.state" })}),
    mourned AS (${tallyDeaths(schema, "again", { isNew: false })}),
    ${undo.told(schema, "again")}
    ${undo.answered("again")}`,
  values: undo.endingValues,
  read: undo.readUndone,
};

const COLUMNS = TASK_COLUMNS.join(", ");

/**
 * The rows as they are, and as they end again, as `ended` and `again`; what was stored of their journals is deleted.
 */
function againFrom(schema: QuotedSchema, table: "task" | "history"): string {
  const more = [
    "ended.state AS was",
    "(ended.memory).was_archived AS goes_back",
    "CASE WHEN (ended.memory).without_result THEN 'WITHOUT_RESULT' ELSE 'UNDONE' END AS outcome",
  ];
  return `${undo.foundIn(schema, table)},
    ${undo.lockedBatches(schema, "found")},
    ended AS MATERIALIZED (SELECT f.*, clock.now FROM found f CROSS JOIN clock CROSS JOIN (SELECT count(*) FROM batch) locked),
    again AS MATERIALIZED (${withChanges("ended", ENDED_AGAIN, more)}),
    unjournalled AS (
      DELETE FROM ${schema}.journal j USING ended e
       WHERE j.task_id = e.id AND j.seq > (e.memory).journal_count AND j.recorded_at = (e.memory).at
    )`;
}

/** What took a task away from its end. */
const LEFT: EntrySql = {
  at: "(ended.memory).at",
  from: undo.before("ended", "was"),
  to: "ended.state",
  owner: "NULL",
  fence: "ended.fence",
  attempt: "ended.attempt",
  reason: undo.ending.told,
  actor: undo.ending.actor,
};

const ENDED_AGAIN: ColumnChanges = {
  ...Object.fromEntries(
    [...REMEMBERED.waiting, ...REMEMBERED.ofRun].map((column) => [column, undo.before("ended", column)]),
  ),
  state: undo.before("ended", "was"),
  key_live: "false",
  version: "ended.version + 1",
  fence: undo.fenceBehind("ended"),
  notes: withReturn(undo.before("ended", "notes"), [LEFT, undo.undoneEntry("ended")]),
};
