// A verdict takes the lock that claims wait for, but writes nothing. The row stays as it was, so the claims go on
// afterwards.
import { leaveOut, storeModule } from "../planting.mjs";

export const says = "a fence locks and writes nothing";

export async function plant() {
  const { PostgresClusterStore } = await storeModule("stores/postgres-cluster-store.js");
  const { setNodeState } = await storeModule("statements/nodes/set-node-state.js");
  leaveOut(PostgresClusterStore, "declareDead", setNodeState);
}
