// The reaper finds the owner of pulled tasks dead, since it has no node: it takes every pulled task and counts crashes.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "the reaper takes the tasks of consumers";

export async function plant() {
  const { deadOwners } = await storeModule("statements/recover/dead-owners.js");
  const { reapTasks } = await storeModule("statements/recover/reap-tasks.js");
  rewrite(deadOwners, { "SELECT 0::bigint": "SELECT -1::bigint" });
  rewrite(reapTasks, { "AND t.owner > 0 LIMIT": "LIMIT" });
}
