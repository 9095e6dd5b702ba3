// A claim judges the pause of a key by its snapshot, without a lock: it pauses a task after the pause's end.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a claim believes in the pause of a key without locking its row";

export async function plant() {
  const { claimBesidePausedKeys } = await storeModule("statements/claim/claim-tasks.js");
  rewrite(claimBesidePausedKeys, { "FOR SHARE OF s": "" });
}
