// The statement that locks the holders of keys leaves them unlocked: of two merges that fold at once one is lost.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a merge without the lock before it";

export async function plant() {
  const { insertKeyedTasks } = await storeModule("statements/create/insert-keyed-tasks.js");
  rewrite(insertKeyedTasks, { "DO UPDATE SET version = t.version WHERE false": "DO NOTHING" });
}
