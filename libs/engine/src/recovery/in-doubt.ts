import type { RunningRow } from "@tickwheel/core";
import type { HoldingsWatch } from "../held/executions.js";

/**
 * [no-in-doubt-leak]: the rows that the store holds as running under this node and that are in doubt: memory and the
 * claims in flight held them at no time from the sending of the query until its answer. Whoever looks only at one of
 * these moments would give back a task that is just being claimed or has just been settled.
 */
export function inDoubt(rows: readonly RunningRow[], watched: Pick<HoldingsWatch, "held">): RunningRow[] {
  return rows.filter((row) => !watched.held(row));
}
