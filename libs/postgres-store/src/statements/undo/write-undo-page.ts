import type { AfterUndo, EpochMs, TaskOperation } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { OPERATION_FIELDS } from "../../sql/operation-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { epochMs, now, span } from "../../sql/sql-fragments.js";
import { readWritten, type WrittenPage } from "../operation-rows/write-page.js";

/** Where an undo stands behind a page; the operation's row is locked, so the counts are whole. */
export interface WriteUndoPage
  extends
    Pick<TaskOperation, "id" | "undone" | "leftBehind" | "recent">,
    Pick<AfterUndo, "round" | "lockedIds" | "restMs"> {
  /** The next page goes on above this id; null: it is one of a round. */
  above: string | null;
  /** A round goes on below this id; null: with the highest one. */
  below: string | null;
  /** The label of the node that has made it. */
  node: string;
  state: AfterUndo["ends"];
  asOf: EpochMs | null;
}

const [p, values] = parameters<WriteUndoPage>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  above: typed("uuid", ({ above }) => above),
  below: typed("uuid", ({ below }) => below),
  undone: typed("bigint", ({ undone }) => undone),
  leftBehind: typed("json", ({ leftBehind }) => JSON.stringify(leftBehind)),
  recent: typed("json", ({ recent }) => JSON.stringify(recent)),
  lockedIds: typed("uuid[]", ({ lockedIds }) => lockedIds),
  round: typed("smallint", ({ round }) => round),
  node: typed("text", ({ node }) => node),
  state: typed("text", ({ state }) => state),
  restMs: typed("float8", ({ restMs }) => restMs),
});

/** Writes what a page of an undo has done, in its transaction. Plan: one probe of the primary key. */
export const writeUndoPage: Statement<WriteUndoPage, WrittenPage> = {
  name: "write_undo_page",
  sql: (schema) => `
    UPDATE ${schema}.operation o
       SET page = o.page + 1, undo_above = ${p.above}, below = ${p.below}, locked_ids = ${p.lockedIds}, undone = ${p.undone}, left_behind = ${p.leftBehind}, recent = ${p.recent},
           round = ${p.round}, node = ${p.node}, state = ${p.state}, finished_at = CASE WHEN ${p.state} = 'undone' THEN clock.now END,
           next_at = clock.now + ${span(p.restMs)}
      FROM (SELECT ${now(p.asOf)} AS now) clock
     WHERE o.id = ${p.id}
    RETURNING ${OPERATION_FIELDS}, ${epochMs("o.next_at")} AS next_at`,
  values,
  read: readWritten,
};
