import type { BootId, NodeState } from "@tickwheel/core";
import type { Statement } from "../session.js";

/** Moves a node that this transaction has locked from one of the states expected. */
export const setNodeState: Statement<{ bootId: BootId; from: readonly NodeState[]; to: NodeState }, true> = {
  name: "set_node_state",
  sql: (schema) => `
    UPDATE ${schema}.node SET state = $3 WHERE boot_id = $1::bigint AND state = ANY ($2::text[]) RETURNING true AS done`,
  values: ({ bootId, from, to }) => [bootId, from, to],
  read: () => true,
};
