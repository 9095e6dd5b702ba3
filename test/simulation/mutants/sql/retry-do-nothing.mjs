// A retry from history ignores a conflict on a taken key: the row is deleted from history, inserted nowhere, and lost.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a retry with ON CONFLICT DO NOTHING";

export async function plant() {
  const { retryTask } = await storeModule("statements/request/retry-task.js");
  rewrite(retryTask, {
    "FROM ended e WHERE NOT EXISTS (SELECT FROM live) RETURNING *":
      "FROM ended e WHERE NOT EXISTS (SELECT FROM live) ON CONFLICT (slot, type_id, key) WHERE key_live DO NOTHING RETURNING *",
  });
}
