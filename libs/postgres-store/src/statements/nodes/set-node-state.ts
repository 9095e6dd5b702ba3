import type { BootId, EpochMs, NodeState } from "@tickwheel/core";
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

/**
 * Sets the state of a node that this transaction has locked, if it is in one of the expected states. A node that says
 * goodbye itself gives up its roles, which distinguishes it from one that was found dead.
 */
export const setNodeState: Statement<SetNodeState, true> = {
  name: "set_node_state",
  sql: (schema) => `
    UPDATE ${schema}.node SET state = $3, roles = CASE WHEN $4::boolean THEN '{}' ELSE roles END,
           ended_at = CASE WHEN $3 = 'dead' THEN ${now("$5")} END
     WHERE boot_id = $1::bigint AND state = ANY ($2::text[]) RETURNING true AS done`,
  values: ({ bootId, from, to, isGoodbye = false, asOf }) => [bootId, from, to, isGoodbye, asOf],
  read: () => true,
};
