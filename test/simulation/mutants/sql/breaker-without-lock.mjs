// A change of a breaker reads its row and locks nothing: two nodes that try at once both read that its time is over, so
// both try a task.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a breaker is decided about without its lock";

export async function plant() {
  const { lockBreaker } = await storeModule("statements/breakers/lock-breaker.js");
  rewrite(lockBreaker, { "AND name = $4 FOR UPDATE": "AND name = $4" });
}
