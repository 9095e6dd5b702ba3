import type { OperationFilter, OperationRef, TaskOperation } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { BEHIND_ALL_IDS } from "../../sql/id-bounds.js";
import { OPERATION_FIELDS, readOperationRow } from "../../sql/operation-rows.js";

/** One operation. Plan: one probe of the primary key. */
export const readOperation: Statement<OperationRef, TaskOperation> = {
  name: "read_operation",
  sql: (schema) => `SELECT ${OPERATION_FIELDS} FROM ${schema}.operation o WHERE o.id = $1::uuid AND o.namespace = $2`,
  values: ({ id, namespace }) => [id, namespace],
  read: readOperationRow,
};

/**
 * A page of operations, the newest first. Plan: one backward range of the index of lists; states and actions are
 * compared on its rows, of which a namespace has few.
 */
export const listOperations: Statement<OperationFilter, TaskOperation> = {
  name: "list_operations",
  sql: (schema) => `
    SELECT ${OPERATION_FIELDS} FROM ${schema}.operation o
     WHERE (o.namespace, o.id) < ($1, $2::uuid) AND o.namespace >= $1
       AND (cardinality($3::text[]) = 0 OR o.state = ANY ($3)) AND (cardinality($4::text[]) = 0 OR o.action = ANY ($4))
     ORDER BY o.namespace DESC, o.id DESC LIMIT $5`,
  values: ({ namespace, before, states, actions, limit }) => [
    namespace,
    before ?? BEHIND_ALL_IDS,
    states,
    actions,
    limit,
  ],
  read: readOperationRow,
};
