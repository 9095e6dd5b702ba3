// A lease is extended without its task's row being locked: who is taking the task away just now is not waited for, and
// the consumer is told that it has more time.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "an extend locks the lease alone";

export async function plant() {
  const { extendLease } = await storeModule("statements/pull/extend-lease.js");
  rewrite(extendLease, { "FOR NO KEY UPDATE": "" });
}
