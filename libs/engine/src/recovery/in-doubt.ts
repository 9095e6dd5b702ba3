import type { RunningRow } from "@tickwheel/core";
import type { HoldingsWatch } from "../held/executions.js";

/**
 * [no-in-doubt-leak]: the rows in doubt: the store holds them as running under this node, but memory and the claims in
 * flight held them at no time from the sending of the query until its answer. A look at only one of these moments would
 * give back a task that is just being claimed or has just been settled.
 */
export function inDoubt(rows: readonly RunningRow[], watched: Pick<HoldingsWatch, "held">): RunningRow[] {
  return rows.filter((row) => !watched.held(row));
}
