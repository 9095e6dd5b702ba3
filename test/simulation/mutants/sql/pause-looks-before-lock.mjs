// A pause looks at the task before it has locked it: it holds a task that was claimed in the meantime and runs.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a pause that looks before it locks";

export async function plant() {
  const { pauseTask } = await storeModule("statements/request/pause-tasks.js");
  rewrite(pauseTask, { "FOR UPDATE OF t": "" });
}
