import type { ExecutionRef } from "@tickwheel/core";
import { listed, parameters, rows } from "../../sql/parameters.js";
import { arrayRows, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

interface Placed extends ExecutionRef {
  place: number;
}

interface VerifyStart {
  refs: readonly ExecutionRef[];
}

const [p, values] = parameters<VerifyStart>()({
  refs: rows(
    ({ refs }: VerifyStart) =>
      refs.map(({ id, owner, fence }, index): Placed => ({ id, owner, fence, place: index + 1 })),
    {
      id: listed("uuid", ({ id }) => id),
      owner: listed("bigint", ({ owner }) => owner),
      fence: listed("integer", ({ fence }) => fence),
      place: listed("integer", ({ place }) => place),
    },
  ),
});

/**
 * The executions that still run under their owner and fence and that nobody asked to cancel, as places in the list
 * (from 1).
 */
export const verifyStart: Statement<VerifyStart, number> = {
  name: "verify_start",
  sql: (schema) => `
    SELECT r.place
      FROM ${arrayRows(p.refs)}
      JOIN ${schema}.task t ON t.id = r.id AND t.owner = r.owner AND t.fence = r.fence
     WHERE ${stateById("t")} = ${STATE.running} AND t.cancel_requested_at IS NULL
     ORDER BY r.place`,
  values,
  read: (row) => Number(row.place),
};
