import type { BootId, NodeState } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Locks a node row against claims, after those that hold it (FOR KEY SHARE) have committed. Everyone who ends a node's
 * right to claim goes through this first: a plain UPDATE would not wait, and fence nothing.
 */
export const lockNode: Statement<{ bootId: BootId }, NodeState> = {
  name: "lock_node",
  sql: (schema) => `SELECT state FROM ${schema}.node WHERE boot_id = $1::bigint FOR UPDATE`,
  values: ({ bootId }) => [bootId],
  read: (row) => row.state as NodeState,
};
