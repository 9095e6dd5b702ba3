// A claim only reads the node's state, without a lock: it sees the node as it was when the statement began, and no
// verdict waits for the claim.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "an EXISTS fence is believed";

export async function plant() {
  const { claimTasks } = await storeModule("statements/claim/claim-tasks.js");
  rewrite(claimTasks, {
    "SELECT boot_id FROM @node WHERE boot_id = $2::bigint AND state = 'live' FOR KEY SHARE":
      "SELECT $2::bigint AS boot_id WHERE EXISTS (SELECT FROM @node WHERE boot_id = $2::bigint AND state = 'live')",
  });
}
