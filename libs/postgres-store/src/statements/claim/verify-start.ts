import type { ExecutionRef } from "@tickwheel/core";
import { arrayRows, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * The executions that still run under their owner and fence and that nobody asked to cancel, as places in the list
 * (from 1).
 */
export const verifyStart: Statement<{ refs: readonly ExecutionRef[] }, number> = {
  name: "verify_start",
  sql: (schema) => `
    SELECT r.place
      FROM ${arrayRows(["$1::uuid[]", "$2::bigint[]", "$3::integer[]", "$4::integer[]"], "id, owner, fence, place")}
      JOIN ${schema}.task t ON t.id = r.id AND t.owner = r.owner AND t.fence = r.fence
     WHERE ${stateById("t")} = ${STATE.running} AND t.cancel_requested_at IS NULL
     ORDER BY r.place`,
  values: ({ refs }) => [
    refs.map((ref) => ref.id),
    refs.map((ref) => ref.owner),
    refs.map((ref) => ref.fence),
    refs.map((_, index) => index + 1),
  ],
  read: (row) => Number(row.place),
};
