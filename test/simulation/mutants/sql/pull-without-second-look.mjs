// A pull whose locks have missed a limit, since that came while it waited, takes nothing in place of looking again.
import { storeModule } from "../planting.mjs";

export const says = "a pull that has missed a limit does not look again";

export async function plant() {
  const { pullTasks } = await storeModule("statements/pull/pull-tasks.js");
  const { read } = pullTasks;
  pullTasks.read = (row) => ({ ...read(row), isLimitMissing: false });
}
