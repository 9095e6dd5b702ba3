import type { BootId, EpochMs, NodeState } from "@tickwheel/core";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

export interface SetNodeState {
  bootId: BootId;
  from: readonly NodeState[];
  to: NodeState;
  /** Default false. */
  isGoodbye?: boolean;
  asOf: EpochMs | null;
}

const [p, values] = parameters<SetNodeState>()({
  bootId: typed("bigint", ({ bootId }) => bootId),
  from: typed("text[]", ({ from }) => from),
  to: ({ to }) => to,
  isGoodbye: typed("boolean", ({ isGoodbye = false }) => isGoodbye),
  asOf,
});

/**
 * Sets the state of a node that this transaction has locked, if it is in one of the expected states. A node that says
 * goodbye itself gives up its roles, which distinguishes it from one that was found dead.
 */
export const setNodeState: Statement<SetNodeState, true> = {
  name: "set_node_state",
  sql: (schema) => `
    UPDATE ${schema}.node SET state = ${p.to}, roles = CASE WHEN ${p.isGoodbye} THEN '{}' ELSE roles END,
           ended_at = CASE WHEN ${p.to} = 'dead' THEN ${now(p.asOf)} END
     WHERE boot_id = ${p.bootId} AND state = ANY (${p.from}) RETURNING true AS done`,
  values,
  read: () => true,
};
