// A claim chooses its ids by a SELECT without a lock and updates them by id: after a wait for another's claim it takes
// the task again.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "ids are chosen by an unlocked SELECT, then updated by id alone";

export async function plant() {
  const { claimTasks } = await storeModule("statements/claim/claim-tasks.js");
  rewrite(claimTasks, {
    "FOR UPDATE OF t SKIP LOCKED": "",
    "WHERE t.id = picked.id AND (t.state + 0) = 0": "WHERE t.id = picked.id",
  });
}
