// Upkeep reads which tasks of a type ended long ago, then deletes them by id: a dead one that is retried meanwhile is
// deleted with them, before it runs again.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a deletion of old ends does not lock";

export async function plant() {
  const { forgetEnded } = await storeModule("statements/upkeep/forget-ended.js");
  rewrite(forgetEnded.dead, { "FOR UPDATE SKIP LOCKED": "" });
}
