// What an execution has spawned is joined to the ended tasks by their ids alone: of two ends of one task in a
// statement, only one of which counts, both have their tasks written.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a stale end spawns beside the one that counts";

export async function plant() {
  const { completeMembers } = await storeModule("statements/end/complete-tasks.js");
  rewrite(completeMembers, { " AND r.parent_owner = c.owner AND r.parent_fence = c.fence": "" });
}
