import { type Fault, MAX_DELAY_MS, parseDurationMs } from "@tickwheel/core";
import { isTimeZone } from "../cron/zone-clock.js";
import { isDay } from "../instants/calendar-days.js";

/** What is wrong with a value, or null. */
export type Rule = (value: unknown) => string | null;

/** The most days that a schedule may exclude. */
export const MAX_EXCLUDED_DAYS = 1_000;

/** One of a few words. */
export function wordRule(words: readonly string[]): Rule {
  return (value) => (words.includes(value as string) ? null : `must be one of ${words.join(", ")}`);
}

/** A whole number between bounds. */
export function countRule(least: number, most: number): Rule {
  return (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? null
      : `must be an integer of ${least} to ${most}`;
}

/** A duration of whole milliseconds, at least so long and at most 100 years. */
export function wholeDurationRule(leastMs: number): Rule {
  return (value) => {
    const durationMs = parseDurationMs(value);
    if (durationMs === null) return 'must be a duration: milliseconds, or a string such as "15m", "1h30m" or "PT15M"';
    if (durationMs < leastMs) return `must be at least ${leastMs} ms`;
    if (durationMs > MAX_DELAY_MS) return `must be at most ${MAX_DELAY_MS} ms`;
    return Number.isInteger(durationMs) ? null : "must be whole milliseconds";
  };
}

/** An instant in epoch milliseconds, from 1970 to 2169. */
export const epochRule: Rule = (value) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < Date.UTC(2170, 0, 1)
    ? null
    : "must be an instant from 1970 to 2169";

export const flagRule: Rule = (value) => (typeof value === "boolean" ? null : "must be true or false");

export const zoneRule: Rule = (value) =>
  isTimeZone(value) ? null : "must be an IANA time zone that this node knows, such as Europe/Berlin; an offset is none";

/** The faults of a list of excluded days, each at its place. */
export function excludeFaults(value: unknown): Fault[] {
  if (!Array.isArray(value)) return [{ path: "exclude", message: "must be a list of days YYYY-MM-DD" }];
  if (value.length > MAX_EXCLUDED_DAYS)
    return [{ path: "exclude", message: `must hold at most ${MAX_EXCLUDED_DAYS} days` }];
  return value.flatMap((day: unknown, place) =>
    isDay(day) ? [] : [{ path: `exclude[${place}]`, message: "must be a day YYYY-MM-DD that the calendar has" }],
  );
}
