// A merge looks only at the holder's state, not at whether it has started: what awaits its retry takes the merge,
// although an execution has seen its payload without it.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a merge into a task that has started";

export async function plant() {
  const { foldMerges } = await storeModule("statements/create/fold-merges.js");
  rewrite(foldMerges, { "h.state <= 0 AND h.started_at IS NULL": "h.state <= 0" });
}
