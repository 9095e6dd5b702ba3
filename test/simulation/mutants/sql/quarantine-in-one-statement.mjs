// Who enters the quarantine looks without its lock: what was claimed and has entered since the statement began is not
// seen.
import { leaveOut, storeModule } from "../planting.mjs";

export const says = "a quarantine entered without its lock";

export async function plant() {
  const { PostgresTaskStore } = await storeModule("stores/postgres-task-store.js");
  const { lockQuarantine } = await storeModule("statements/claim/lock-quarantine.js");
  leaveOut(PostgresTaskStore, "enterQuarantine", lockQuarantine);
}
