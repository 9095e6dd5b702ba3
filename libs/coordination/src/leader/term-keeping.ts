import type { Outcome } from "../health/health.js";

/**
 * - `extend_lock`: the lock in Redis may be extended
 * - `end`: this leadership is over
 * - `nothing`: unknown; the next beat of the term decides
 */
export type AfterKeeping = "extend_lock" | "end" | "nothing";

/**
 * [one-term], [leader-contest]: what follows from raising the term's beat. Only a written beat extends the lock.
 * Otherwise a leader that has lost Postgres but not Redis would keep candidates away although it cannot lead.
 */
export function afterKeeping(written: Outcome<boolean>): AfterKeeping {
  if (!written.ok) return "nothing";
  return written.value ? "extend_lock" : "end";
}
