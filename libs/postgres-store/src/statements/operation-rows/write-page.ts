import type { AfterPage, EpochMs, OperationStopReason, TaskOperation } from "@tickwheel/core";
import type { RawRow, Statement } from "../../connection/session.js";
import { OPERATION_FIELDS, readOperationRow } from "../../sql/operation-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, now, span } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

/** Where an operation stands behind a page; its row is locked, so the counts are whole. */
export interface WritePage extends Pick<TaskOperation, "id" | "found" | "changed" | "recent">, Omit<AfterPage, "ends"> {
  /** The next page goes on below this id; null: nothing is below, or a round begins. */
  below: string | null;
  resultBytes: number;
  /** The label of the node that has made it. */
  node: string;
  state: AfterPage["ends"];
  stopReason: OperationStopReason | null;
  asOf: EpochMs | null;
}

/** An operation behind its page. */
export interface WrittenPage {
  operation: TaskOperation;
  /** When the next page may be made. */
  nextAt: EpochMs;
}

const [p, values] = parameters<WritePage>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  below: typed("uuid", ({ below }) => below),
  found: typed("bigint", ({ found }) => found),
  changed: typed("bigint", ({ changed }) => changed),
  passed: typed("json", ({ passed }) => JSON.stringify(passed)),
  recent: typed("json", ({ recent }) => JSON.stringify(recent)),
  lockedIds: typed("uuid[]", ({ lockedIds }) => lockedIds),
  round: typed("smallint", ({ round }) => round),
  resultBytes: typed("bigint", ({ resultBytes }) => resultBytes),
  node: typed("text", ({ node }) => node),
  state: typed("text", ({ state }) => state),
  stopReason: typed("text", ({ stopReason }) => stopReason),
  restMs: typed("float8", ({ restMs }) => restMs),
});

/** Writes what a page of the act has done, in its transaction. Plan: one probe of the primary key. */
export const writePage: Statement<WritePage, WrittenPage> = {
  name: "write_operation_page",
  sql: (schema) => `
    UPDATE ${schema}.operation o
       SET page = o.page + 1, below = ${p.below}, found = ${p.found}, changed = ${p.changed}, passed = ${p.passed},
           recent = ${p.recent}, locked_ids = ${p.lockedIds}, round = ${p.round}, result_bytes = ${p.resultBytes}, node = ${p.node},
           state = ${p.state}, stop_reason = ${p.stopReason}, finished_at = CASE WHEN ${p.state} <> 'running' THEN clock.now END,
           next_at = clock.now + ${span(p.restMs)}
      FROM (SELECT ${now(p.asOf)} AS now) clock
     WHERE o.id = ${p.id}
    RETURNING ${OPERATION_FIELDS}, ${epochMs("o.next_at")} AS next_at`,
  values,
  read: readWritten,
};

/** A row of an operation with `next_at`. */
export function readWritten(row: RawRow): WrittenPage {
  return { operation: readOperationRow(row), nextAt: readInstant(row.next_at) };
}
