// A node marks itself as draining by a plain UPDATE. That does not wait for the node's own claim in progress, which
// then takes tasks that no other node looks for.
import { storeModule } from "../planting.mjs";

export const says = "draining by a plain UPDATE";

export async function plant() {
  const { PostgresClusterStore } = await storeModule("stores/postgres-cluster-store.js");
  const { setNodeState } = await storeModule("statements/nodes/set-node-state.js");
  PostgresClusterStore.prototype.startDraining = async function (bootId) {
    return (await this.database.run(setNodeState, { bootId, from: ["live"], to: "draining" })).length > 0;
  };
}
