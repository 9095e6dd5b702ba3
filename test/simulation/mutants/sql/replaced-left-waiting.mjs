// In one request with several replacements of a key, all but the last only lose the key. They go on waiting, and run
// when they are due.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "replaced tasks of a bulk that are not cancelled";

export async function plant() {
  const { insertReplacedTasks } = await storeModule("statements/create/insert-replaced-tasks.js");
  rewrite(insertReplacedTasks, {
    "r.type_id, 4, r.key, false": "r.type_id, 0, r.key, false",
    "2, clock.now, 'REPLACED', r.replaced_by": "1, NULL, NULL, NULL",
  });
}
