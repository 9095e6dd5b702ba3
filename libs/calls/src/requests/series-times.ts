import {
  type EpochMs,
  type Fault,
  MAX_DELAY_MS,
  MAX_SERIES_TASKS,
  parseDurationMs,
  parseInstant,
} from "@tickwheel/core";
import { isGiven } from "@tickwheel/contract";
import type { TaskRequest } from "@tickwheel/engine";

/** A checked series: when its first task is due, and how long behind it the others are. */
export interface SeriesTimes extends Required<Pick<TaskRequest, "due" | "laterMs">> {
  faults: readonly Fault[];
}

const NO_TIME = 'must be a duration such as "3d", or an instant';
const NO_LIST = `must be a list of 2 to ${MAX_SERIES_TASKS} durations or instants`;

/**
 * When the tasks of a series are due.
 *
 * @param at durations from now and instants, each later than the one before
 */
export function timesOf(at: unknown, now: EpochMs): SeriesTimes {
  if (!Array.isArray(at) || at.length < 2 || at.length > MAX_SERIES_TASKS)
    return { due: { delayMs: 0 }, laterMs: [], faults: [{ path: "at", message: NO_LIST }] };
  const given: readonly unknown[] = at;
  const instants = given.map((time) => instantOf(time, now));
  const faults = instants.flatMap((instant, place): Fault[] => {
    const message = faultOf(instant, instants[place - 1], now);
    return message === null ? [] : [{ path: `at[${place}]`, message }];
  });
  const delayMs = parseDurationMs(given[0]);
  const due = delayMs === null ? { at: instants[0] ?? 0 } : { delayMs };
  const laterMs = instants.slice(1).map((instant, place) => (instant ?? 0) - (instants[place] ?? 0));
  return { due, laterMs, faults };
}

function instantOf(time: unknown, now: EpochMs): EpochMs | null {
  const delayMs = parseDurationMs(time);
  if (delayMs !== null) return now + delayMs;
  return typeof time === "string" || time instanceof Date ? parseInstant(time) : null;
}

function faultOf(instant: EpochMs | null, before: EpochMs | null | undefined, now: EpochMs): string | null {
  if (instant === null) return NO_TIME;
  if (instant > now + MAX_DELAY_MS) return "must be at most 100 years from now";
  return isGiven(before) && instant <= before ? "must be later than the one before it" : null;
}

/** What a series cannot have: it has one key for all, its own times, and no merges. */
export function seriesFaults(fields: Readonly<Record<string, unknown>>): Fault[] {
  const unwanted = ["delay", "scheduledAt", "merge", "maxWait", "deliver", "idempotencyKey"];
  const faults = unwanted
    .filter((name) => isGiven(fields[name]))
    .map((path) => ({ path, message: "must not be given for a series" }));
  if (!isGiven(fields["key"])) faults.push({ path: "key", message: "must be given: the whole series is known by it" });
  const { onConflict } = fields;
  if (onConflict === "refresh" || onConflict === "merge")
    faults.push({ path: "onConflict", message: 'of a series must be "reject", "return" or "replace"' });
  return faults;
}
