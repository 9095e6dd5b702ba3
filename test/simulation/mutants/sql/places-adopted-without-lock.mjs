// What runs takes places without a lock before the look: a claim that is committed meanwhile loses its places.
import { leaveOut, storeModule } from "../planting.mjs";

export const says = "what runs takes places by a look that is older than the lock";

export async function plant() {
  const { PostgresLimitStore } = await storeModule("stores/postgres-limit-store.js");
  const { awaitLimits } = await storeModule("statements/limits/adopt-places.js");
  leaveOut(PostgresLimitStore, "adoptRunning", awaitLimits);
}
