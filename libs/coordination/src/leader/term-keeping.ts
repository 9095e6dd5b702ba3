import type { Outcome } from "../health/health.js";

/**
 * - `extend_lock`: the lock in Redis may be extended
 * - `end`: this leadership is over
 * - `nothing`: nobody knows; the next beat of the term will tell
 */
export type AfterKeeping = "extend_lock" | "end" | "nothing";

/**
 * [one-term], [leader-contest]: what follows from having raised the term's beat. Only a beat that was written extends
 * the lock: a leader that has lost Postgres but not Redis would else keep the candidates away for as long as it cannot
 * lead.
 */
export function afterKeeping(written: Outcome<boolean>): AfterKeeping {
  if (!written.ok) return "nothing";
  return written.value ? "extend_lock" : "end";
}
