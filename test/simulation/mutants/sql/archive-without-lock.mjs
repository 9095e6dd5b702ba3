// Finished tasks are copied to history as they were read, then deleted by id: one that is retried meanwhile is deleted
// with them, and two nodes at it make two copies.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a history mover does not lock";

export async function plant() {
  const { archiveTasks } = await storeModule("statements/upkeep/archive-tasks.js");
  rewrite(archiveTasks, {
    "SELECT id FROM @task WHERE": "SELECT * FROM @task WHERE",
    "LIMIT $1 FOR UPDATE SKIP LOCKED": "LIMIT $1",
    "FROM gone RETURNING 1": "FROM ended RETURNING 1",
  });
}
