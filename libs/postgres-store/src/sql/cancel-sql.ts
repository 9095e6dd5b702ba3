import { STATE } from "./state-codes.js";

/**
 * What a cancel does to a task `t` that waits or runs, at `clock.now`: one that waits ends `cancelled`, one that runs
 * is asked to stop.
 *
 * @param by who is noted as the one who cancelled it, in SQL
 */
export function endOrAsk(by: string): string {
  const waits = `t.state <= ${STATE.scheduled}`;
  return `state = CASE WHEN ${waits} THEN ${STATE.cancelled} ELSE t.state END,
             key_live = t.key_live AND NOT ${waits},
             reason = CASE WHEN ${waits} THEN 'REQUESTED' ELSE t.reason END,
             finished_at = CASE WHEN ${waits} THEN clock.now END,
             cancel_requested_at = CASE WHEN t.state = ${STATE.running} THEN clock.now END,
             cancelled_by = ${by}, version = t.version + 1`;
}
