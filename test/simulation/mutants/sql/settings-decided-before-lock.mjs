// A change looks at what there is before it waits for the change before it: an equal change is written again.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a change of the settings is decided before it has the lock";

export async function plant() {
  const { lockRevision } = await storeModule("statements/settings/lock-revision.js");
  rewrite(lockRevision, { "FOR NO KEY UPDATE": "" });
}
