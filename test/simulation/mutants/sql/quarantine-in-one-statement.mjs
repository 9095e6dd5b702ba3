// A suspect enters the quarantine without taking its lock. It does not see a suspect that has entered since the
// statement began.
import { leaveOut, storeModule } from "../planting.mjs";

export const says = "a quarantine entered without its lock";

export async function plant() {
  const { PostgresTaskStore } = await storeModule("stores/postgres-task-store.js");
  const { lockQuarantine } = await storeModule("statements/claim/lock-quarantine.js");
  leaveOut(PostgresTaskStore, "enterQuarantine", lockQuarantine);
}
