import { type EpochMs, OPEN_OPERATION_STATES, type PagePlace, type TaskOperation } from "@tickwheel/core";
import type { RawRow, Statement } from "../../connection/session.js";
import { OPERATION_FIELDS, readOperationRow } from "../../sql/operation-rows.js";
import { epochMs, now } from "../../sql/sql-fragments.js";
import { readInstant, readJson, readText } from "../../sql/task-rows.js";

/** An operation whose row this transaction has locked. */
export interface LockedOperation {
  operation: TaskOperation;
  now: EpochMs;
}

/** The same, and where its pages stand. */
export interface OperationAtPage extends LockedOperation, PagePlace {
  /** Pages of the act go on below this id, and those of a round, also of the undo; null: from the newest. */
  below: string | null;
  /** Pages of the undo go on above this id; null: from the first. */
  undoAbove: string | null;
  /** How many bytes of results are remembered. */
  resultBytes: number;
}

const OPEN = OPEN_OPERATION_STATES.map((state) => `'${state}'`).join(", ");

/**
 * Locks an operation for its next page. No row: it is over, on hold or not due, or others are at it. So a page has one
 * carrier, and a transaction that changes the operation waits for the page. Plan: one probe of the primary key.
 */
export const lockForPage: Statement<{ id: string; asOf: EpochMs | null }, OperationAtPage> = {
  name: "lock_operation_for_page",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    SELECT ${OPERATION_FIELDS}, ${epochMs("clock.now")} AS now, o.round, array_to_json(o.locked_ids)::text AS locked_ids,
           o.below::text AS below, o.undo_above::text AS undo_above, o.result_bytes::float8 AS result_bytes
      FROM ${schema}.operation o CROSS JOIN clock
     WHERE o.id = $2::uuid AND o.state IN (${OPEN}) AND o.held_at IS NULL AND o.next_at <= clock.now
       FOR UPDATE OF o SKIP LOCKED`,
  values: ({ id, asOf }) => [asOf, id],
  read: (row) => ({
    ...readLocked(row),
    round: Number(row.round),
    lockedIds: readJson(row.locked_ids) as string[],
    below: readText(row.below),
    undoAbove: readText(row.undo_above),
    resultBytes: Number(row.result_bytes),
  }),
};

/** Locks an operation for a change, behind the page that is being made. No row: the namespace has none of this id. */
export const lockForChange: Statement<{ namespace: string; id: string; asOf: EpochMs | null }, LockedOperation> = {
  name: "lock_operation_for_change",
  sql: (schema) => `
    SELECT ${OPERATION_FIELDS}, ${epochMs(now("$1"))} AS now FROM ${schema}.operation o
     WHERE o.id = $2::uuid AND o.namespace = $3 FOR UPDATE OF o`,
  values: ({ id, namespace, asOf }) => [asOf, id, namespace],
  read: readLocked,
};

function readLocked(row: RawRow): LockedOperation {
  return { operation: readOperationRow(row), now: readInstant(row.now) };
}
