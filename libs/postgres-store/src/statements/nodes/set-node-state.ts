import type { BootId, NodeState } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

export interface SetNodeState {
  bootId: BootId;
  from: readonly NodeState[];
  to: NodeState;
  /** Default: not. */
  isGoodbye?: boolean;
}

/**
 * Moves a node that this transaction has locked from one of the states expected. One that says goodbye itself gives its
 * roles up: so it is told from one that was found dead.
 */
export const setNodeState: Statement<SetNodeState, true> = {
  name: "set_node_state",
  sql: (schema) => `
    UPDATE ${schema}.node SET state = $3, roles = CASE WHEN $4::boolean THEN '{}' ELSE roles END WHERE boot_id = $1::bigint AND state = ANY ($2::text[]) RETURNING true AS done`,
  values: ({ bootId, from, to, isGoodbye = false }) => [bootId, from, to, isGoodbye],
  read: () => true,
};
