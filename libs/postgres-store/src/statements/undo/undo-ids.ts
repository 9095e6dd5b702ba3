import type { Statement } from "../../connection/session.js";

export interface UndoIds {
  operationId: string;
  /** Behind this id; null: from the first one on. */
  above: string | null;
  limit: number;
}

/**
 * The next tasks of an undo that it has not looked at, the lowest ids first; those that others held come in rounds,
 * from the operation's row. Plan: a range of the primary key.
 */
export const undoIds: Statement<UndoIds, string> = {
  name: "undo_ids",
  sql: (schema) => `
    SELECT m.task_id::text AS id FROM ${schema}.operation_task m
     WHERE m.operation_id = $1 AND m.undone IS NULL AND m.task_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
     ORDER BY m.operation_id, m.task_id LIMIT $3`,
  values: ({ operationId, above, limit }) => [operationId, above, limit],
  read: (row) => row.id as string,
};
