// The statement that refreshes reads its clock from the beginning of the transaction, which is before the wait for the
// holder's lock: a task that became due meanwhile is moved.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a refresh by a clock from before its wait";

export async function plant() {
  const { refreshTasks } = await storeModule("statements/create/refresh-tasks.js");
  rewrite(refreshTasks, { "clock_timestamp()": "now()" });
}
