// Relative delays are counted by now(), which is the beginning of the transaction: in a caller's that has been open for
// two seconds a task is due two seconds early.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a relative delay is resolved by now()";

const WRITERS = {
  "create/insert-tasks.js": "insertTasks",
  "create/insert-keyed-tasks.js": "insertKeyedTasks",
  "create/refresh-tasks.js": "refreshTasks",
  "request/edit-task.js": "editTask",
};

export async function plant() {
  for (const [file, name] of Object.entries(WRITERS)) {
    const module = await storeModule(`statements/${file}`);
    rewrite(module[name], { "clock_timestamp()": "now()" });
  }
}
