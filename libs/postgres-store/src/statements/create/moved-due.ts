import { atNow, pausedAgain } from "../../sql/paused-sql.js";
import { movedAlong } from "../../sql/sql-fragments.js";

/**
 * [due-stays]: the rule of refreshes and merges for the due time of a waiting task, as SQL; null where the due time
 * stays. A task that is due stays due, so no stream of them can put it off for ever. Nothing moves it beyond its cap.
 *
 * @param dueAt the task's due time as it is now
 * @param asked `first`: the earliest due time that was asked for; `last`: the one that was asked for last; `waitUntil`:
 *   the new cap, null for none
 */
export function movedDue(
  dueAt: string,
  asked: { now: string; first: string; last: string; waitUntil: string },
): string {
  const { now, first, last, waitUntil } = asked;
  return `CASE WHEN ${dueAt} <= ${now} THEN NULL WHEN ${first} <= ${now} THEN ${now}
              ELSE greatest(${now}, least(${last}, ${waitUntil})) END`;
}

/** What an UPDATE of `t` at `now` sets by `movedDue`: `m` has the columns `due_at` and `wait_until`. */
export function setMovedDue(now: string): string {
  const scheduledAt = `coalesce(m.due_at, ${atNow("t", "scheduled_at", now)})`;
  return `due_at = coalesce(m.due_at, ${atNow("t", "due_at", now)}), scheduled_at = ${scheduledAt},
             start_deadline_at = ${movedAlong("t.start_deadline_at", { from: "t.scheduled_at", to: scheduledAt })},
             wait_until = m.wait_until, ${pausedAgain("t", now)}, version = t.version + 1`;
}
