import type { EpochMs } from "@tickwheel/core";

const DAY_MS = 86_400_000;
/** About eleven years of days. */
const MOST_DAYS = 4_096;
const MIDNIGHT = "T00:00:00.000Z";

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, "0"));
/** The date of each day that was asked for, by its number since 1970. */
const dates = new Map<number, string>();

/**
 * An instant in ISO 8601, as `Date`'s `toISOString` has it, in a fifth of the time: the answer to each create tells two
 * or three of them.
 *
 * @example isoInstant(1_763_712_000_123) // "2025-11-21T08:00:00.123Z"
 */
export function isoInstant(at: EpochMs): string {
  const day = Math.floor(at / DAY_MS);
  const ms = Math.floor(at - day * DAY_MS);
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${dateOf(day)}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[ms % 1_000]}Z`;
}

function dateOf(day: number): string {
  let date = dates.get(day);
  if (date === undefined) {
    if (dates.size === MOST_DAYS) dates.clear();
    date = new Date(day * DAY_MS).toISOString().slice(0, -MIDNIGHT.length);
    dates.set(day, date);
  }
  return date;
}
