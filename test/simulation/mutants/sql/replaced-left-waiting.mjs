// Of the replacements of one key in one request all but the last only lose the key: they wait, and run when they are
// due.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "replaced tasks of a bulk that are not cancelled";

export async function plant() {
  const { insertReplacedTasks } = await storeModule("statements/create/insert-replaced-tasks.js");
  rewrite(insertReplacedTasks, {
    "r.type_id, 4, r.key, false": "r.type_id, 0, r.key, false",
    "2, clock.now, 'REPLACED', r.replaced_by": "1, NULL, NULL, NULL",
  });
}
