// A pull does not lock its type's row: a pause does not wait for the pulls under way, and a pull does not wait for a
// pause.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a pull does not lock its type";

export async function plant() {
  const { lockQueue } = await storeModule("statements/pull/lock-queue.js");
  rewrite(lockQueue, { "FOR KEY SHARE": "" });
}
