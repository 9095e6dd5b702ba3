import type { BootId, NodeState } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Locks a node row against claims, once the claims that hold it (FOR KEY SHARE) have committed. A transaction that ends
 * a node's right to claim must run this first: a plain UPDATE would not wait for the claims, so it would fence nothing.
 */
export const lockNode: Statement<{ bootId: BootId }, NodeState> = {
  name: "lock_node",
  sql: (schema) => `SELECT state FROM ${schema}.node WHERE boot_id = $1::bigint FOR UPDATE`,
  values: ({ bootId }) => [bootId],
  read: (row) => row.state as NodeState,
};
