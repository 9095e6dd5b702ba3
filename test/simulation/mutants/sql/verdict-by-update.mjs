// A verdict locks the node row by its UPDATE alone. That is a weaker lock, which does not wait for the claims that hold
// the row FOR KEY SHARE: the node is dead, and its claim in progress takes tasks afterwards.
import { leaveOut, storeModule } from "../planting.mjs";

export const says = "UPDATE in place of FOR UPDATE as a fence";

export async function plant() {
  const { PostgresClusterStore } = await storeModule("stores/postgres-cluster-store.js");
  const { lockNode } = await storeModule("statements/nodes/lock-node.js");
  leaveOut(PostgresClusterStore, "declareDead", lockNode);
}
