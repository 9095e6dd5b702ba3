// A reap also takes from owners that it finds dead or gone by itself. A row that has changed since the statement began
// is looked at again, but beside the node of its old owner: its new owner's does not join it, and so counts as gone.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a reap by a join";

export async function plant() {
  const { reapTasks } = await storeModule("statements/recover/reap-tasks.js");
  rewrite(reapTasks, {
    "FROM @task t WHERE t.state = 1 AND t.owner = ANY ($2::bigint[])": `
      FROM @task t LEFT JOIN @node n ON n.boot_id = t.owner
     WHERE t.state = 1 AND (t.owner = ANY ($2::bigint[]) OR coalesce(n.state, 'dead') = 'dead')`,
  });
}
