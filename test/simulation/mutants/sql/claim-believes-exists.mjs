// The fence of a claim is a look instead of a lock: it sees the node as it was when the statement began, and nobody
// waits for it.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "an EXISTS fence is believed";

export async function plant() {
  const { claimTasks } = await storeModule("statements/claim/claim-tasks.js");
  rewrite(claimTasks, {
    "SELECT boot_id FROM @node WHERE boot_id = $2::bigint AND state = 'live' FOR KEY SHARE":
      "SELECT $2::bigint AS boot_id WHERE EXISTS (SELECT FROM @node WHERE boot_id = $2::bigint AND state = 'live')",
  });
}
