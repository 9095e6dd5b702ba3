import { movedAlong } from "../../sql/sql-fragments.js";

/**
 * [due-stays]: the rule of refreshes and merges for the due time of a waiting task, as SQL; null where the due time
 * stays. A task that is due stays due, so no stream of them can put it off for ever. Nothing moves it beyond its cap.
 *
 * @param held the task's row, as it is held
 * @param asked `first`: the earliest due time that was asked for; `last`: the one that was asked for last; `waitUntil`:
 *   the new cap, null for none
 */
export function movedDue(held: string, asked: { now: string; first: string; last: string; waitUntil: string }): string {
  const { now, first, last, waitUntil } = asked;
  return `CASE WHEN ${held}.due_at <= ${now} THEN NULL WHEN ${first} <= ${now} THEN ${now}
              ELSE greatest(${now}, least(${last}, ${waitUntil})) END`;
}

/** What an UPDATE of `t` sets by `movedDue`: `m` has the columns `due_at` and `wait_until`. */
export const SET_MOVED_DUE = `due_at = coalesce(m.due_at, t.due_at), scheduled_at = coalesce(m.due_at, t.scheduled_at),
             start_deadline_at = ${movedAlong("t.start_deadline_at", { from: "t.scheduled_at", to: "coalesce(m.due_at, t.scheduled_at)" })},
             wait_until = m.wait_until, version = t.version + 1`;
