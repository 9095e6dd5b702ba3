import type { ChangedOperation, EpochMs, TaskOperation } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { OPERATION_FIELDS, readOperationRow } from "../../sql/operation-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { instant, now } from "../../sql/sql-fragments.js";
import { writeJson } from "../../sql/task-rows.js";

export interface ChangeOperation extends ChangedOperation {
  id: string;
  asOf: EpochMs | null;
}

const [p, values] = parameters<ChangeOperation>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  state: typed("text", ({ state }) => state),
  heldAt: typed("float8", ({ heldAt }) => heldAt),
  heldBy: typed("text", ({ heldBy }) => heldBy),
  stopReason: typed("text", ({ stopReason }) => stopReason),
  finishedAt: typed("float8", ({ finishedAt }) => finishedAt),
  undo: typed("json", ({ undo }) => writeJson(undo)),
});

const BEGINS_UNDO = `${p.state} = 'undoing' AND o.state <> 'undoing'`;

/**
 * Writes what was decided of an operation whose row this transaction has locked. An undo begins with the first task
 * that is remembered, at once. Plan: one probe of the primary key.
 */
export const changeOperation: Statement<ChangeOperation, TaskOperation> = {
  name: "change_operation",
  sql: (schema) => `
    UPDATE ${schema}.operation o
       SET state = ${p.state}, held_at = ${instant(p.heldAt)}, held_by = ${p.heldBy}, stop_reason = ${p.stopReason},
           finished_at = ${instant(p.finishedAt)}, undo = ${p.undo},
           below = CASE WHEN ${BEGINS_UNDO} THEN NULL ELSE o.below END,
           undo_above = CASE WHEN ${BEGINS_UNDO} THEN NULL ELSE o.undo_above END,
           round = CASE WHEN ${BEGINS_UNDO} THEN 0 ELSE o.round END,
           locked_ids = CASE WHEN ${BEGINS_UNDO} THEN '{}' ELSE o.locked_ids END,
           recent = CASE WHEN ${BEGINS_UNDO} THEN '[]' ELSE o.recent END,
           next_at = CASE WHEN ${BEGINS_UNDO} THEN ${now(p.asOf)} ELSE o.next_at END
     WHERE o.id = ${p.id}
    RETURNING ${OPERATION_FIELDS}`,
  values,
  read: readOperationRow,
};
