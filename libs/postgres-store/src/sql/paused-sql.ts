import { epochMs, movedAlong } from "./sql-fragments.js";

/*
 * A paused task has `paused_at`, and its instants are those of that moment: what remains of its countdown is
 * `due_at - paused_at`. So nothing is written while it is paused. Whatever changes it first moves its instants to the
 * database's now, as if it was resumed just then.
 */

/** The columns that move along with the time for which a task is paused. */
type PausedInstant = "due_at" | "scheduled_at" | "start_deadline_at" | "wait_until";

/** An instant of the task `row` as it is at `now`; that of a task which is not paused is not changed. */
export function atNow(row: string, column: PausedInstant, now: string): string {
  const instant = `${row}.${column}`;
  return `CASE WHEN ${row}.paused_at IS NULL THEN ${instant} ELSE ${movedAlong(instant, { from: `${row}.paused_at`, to: now })} END`;
}

/** What an UPDATE of a paused task sets, besides its state and version, when it is scheduled again at `now`. */
export function resumedAt(row: string, now: string): string {
  return `due_at = greatest(${now}, ${atNow(row, "due_at", now)}),
             scheduled_at = CASE WHEN ${row}.started_at IS NULL THEN ${atNow(row, "scheduled_at", now)} ELSE ${row}.scheduled_at END,
             start_deadline_at = CASE WHEN ${row}.started_at IS NULL THEN ${atNow(row, "start_deadline_at", now)} ELSE ${row}.start_deadline_at END,
             wait_until = ${atNow(row, "wait_until", now)}, paused_at = NULL, paused_ms = ${pausedMs(row, now)}`;
}

/** For how long a task was paused until `now`, in milliseconds; null: never. */
export function pausedMs(row: string, now: string): string {
  return `CASE WHEN ${row}.paused_at IS NULL THEN ${row}.paused_ms ELSE coalesce(${row}.paused_ms, 0) + (${epochMs(`${now} - ${row}.paused_at`)})::bigint END`;
}

/**
 * What an UPDATE of a task sets, besides its instants, when these are moved to `now`. One that is paused stays paused.
 */
export function pausedAgain(row: string, now: string): string {
  return `paused_at = CASE WHEN ${row}.paused_at IS NOT NULL THEN ${now} END, paused_ms = ${pausedMs(row, now)}`;
}
