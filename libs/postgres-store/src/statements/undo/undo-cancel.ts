import type { Statement } from "../../connection/session.js";
import { tallyMoves } from "../../sql/batch-sql.js";
import { journalled, writeJournal } from "../../sql/journal-sql.js";
import { withChanges } from "../../sql/sql-fragments.js";
import { noValue, TASK_COLUMNS } from "../../sql/task-columns.js";
import { countArchived } from "../operations/count-archived.js";
import { mayHaveKey } from "../operations/key-claims.js";
import * as undo from "./undoing.js";

/**
 * Undoes a cancel: the task, which a page has put into history, waits again. It is taken out of the counters, and of
 * its batch's count of cancelled ones; the batch is locked before.
 */
export const undoCancel: Statement<undo.UndoRequest, undo.UndoneTask> = {
  name: "undo_cancel",
  sql: (schema) => `
    WITH ${undo.pageOf(schema)},
    ${undo.foundIn(schema, "history")},
    asked AS MATERIALIZED (
      SELECT f.*, clock.now, CASE WHEN ${undo.isDueMeanwhile("f")} THEN 'DUE_MEANWHILE' ELSE 'UNDONE' END AS outcome
        FROM found f CROSS JOIN clock
    ),
    judged AS MATERIALIZED (
      SELECT ${[...TASK_COLUMNS, "memory", "now"].map((column) => `a.${column}`).join(", ")},
             CASE WHEN ${mayHaveKey(schema, "a", { wants: "(a.memory).had_key", among: "a.outcome" })} THEN a.outcome ELSE 'KEY_TAKEN' END AS outcome
        FROM asked a
    ),
    ${undo.lockedBatches(schema, "judged")},
    ended AS MATERIALIZED (
      SELECT j.* FROM judged j CROSS JOIN (SELECT count(*) FROM batch) locked WHERE j.outcome = 'UNDONE'
    ),
    back AS MATERIALIZED (${withChanges("ended", WAITING_AGAIN, ["ended.state AS was", "ended.outcome"])}),
    left_history AS (DELETE FROM ${schema}.history h USING ended e WHERE h.id = e.id AND h.finished_at = e.finished_at),
    uncounted AS (${countArchived(schema, "ended", { sign: "-", which: "true" })}),
    tallied AS (${tallyMoves(schema, "ended", { from: "m.state" })}),
    brought_back AS (
      INSERT INTO ${schema}.task (${TASK_COLUMNS.join(", ")})
      SELECT ${TASK_COLUMNS.join(", ")} FROM back ORDER BY slot, type_id, key
    ),
    journalled AS (${writeJournal(schema, { source: "ended", own: undo.undoneEntry("r"), recordedAt: "(SELECT now FROM clock)" })}),
    ${undo.told(schema, "judged")}
    ${undo.answered("back", "judged")}`,
  values: undo.waitingValues,
  read: undo.readUndone,
};

const WAITING_AGAIN = {
  state: undo.before("ended", "was"),
  key_live: "(ended.memory).had_key",
  reason: noValue("reason"),
  finished_at: noValue("finished_at"),
  cancelled_by: noValue("cancelled_by"),
  due_at: undo.dueAgain("ended"),
  version: "ended.version + 1",
  fence: undo.fenceBehind("ended"),
  ...journalled("ended", undo.undoneEntry("ended")),
};
