import { epochMs, movedAlong } from "./sql-fragments.js";

/*
 * A held task has `held_at`, and its instants are those of that moment: what remains of its countdown is `due_at -
 * held_at`. So nothing is written while it is held. Whatever changes it first moves its instants to the database's now,
 * as if it was resumed just then.
 */

/** The columns that move along with the time for which a task is held. */
type HeldInstant = "due_at" | "scheduled_at" | "start_deadline_at" | "wait_until";

/** An instant of the task `row` as it is at `now`; that of a task which is not held is not changed. */
export function atNow(row: string, column: HeldInstant, now: string): string {
  const instant = `${row}.${column}`;
  return `CASE WHEN ${row}.held_at IS NULL THEN ${instant} ELSE ${movedAlong(instant, { from: `${row}.held_at`, to: now })} END`;
}

/** For how long a task was held until `now`, in milliseconds; null: never. */
export function heldMs(row: string, now: string): string {
  return `CASE WHEN ${row}.held_at IS NULL THEN ${row}.held_ms ELSE coalesce(${row}.held_ms, 0) + (${epochMs(`${now} - ${row}.held_at`)})::bigint END`;
}

/** What an UPDATE of a task sets, besides its instants, when these are moved to `now`. One that is held stays held. */
export function heldAgain(row: string, now: string): string {
  return `held_at = CASE WHEN ${row}.held_at IS NOT NULL THEN ${now} END, held_ms = ${heldMs(row, now)}`;
}
