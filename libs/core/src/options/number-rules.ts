import type { Fault } from "../errors/errors.js";

/** What the number of an option counts. */
export type NumberKind = "duration" | "bytes" | "days" | "beats" | "count";

/** What an option may be: a whole number within two bounds, both included. */
export interface NumberRule {
  kind: NumberKind;
  least: number;
  most: number;
}

/** How each kind is named in messages. */
const MEANINGS: Readonly<Record<NumberKind, string>> = {
  duration: "a whole number of milliseconds",
  bytes: "a whole number of bytes",
  days: "a whole number of days",
  beats: "a whole number of beats",
  count: "a whole number",
};

/** A day in milliseconds. Timers of Node end at 2 ** 31 - 1 ms, a bit below 25 days; a longer one fires at once. */
export const LONGEST_INTERVAL_MS = 86_400_000;

export const numberRule = (kind: NumberKind, least: number, most: number): NumberRule => ({ kind, least, most });

/**
 * What is wrong with the value of an option; null: nothing.
 *
 * @example numberFault(3.5, numberRule("count", 1, 100_000)) // "must be a whole number from 1 to 100,000"
 */
export function numberFault(value: unknown, { kind, least, most }: NumberRule): string | null {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return null;
  return `must be ${MEANINGS[kind]} from ${withCommas(least)} to ${withCommas(most)}`;
}

/** Options that are numbers, with all their faults. */
export interface CheckedNumbers<Name extends string> {
  /** What was given, and the default of whatever is absent or at fault. */
  numbers: Record<Name, number>;
  faults: Fault[];
}

/**
 * Completes options that are numbers by their defaults, and checks them by their rules. Undefined is absent.
 *
 * @param of what they are: `rules` and `defaults` by name. Other names are no business of this function
 * @example checkNumbers({ retries: 3 }, { rules: { retries: numberRule("count", 0, 9) }, defaults: { retries: 1 } })
 */
export function checkNumbers<Name extends string>(
  given: { readonly [Each in Name]?: unknown },
  { rules, defaults }: { rules: Readonly<Record<Name, NumberRule>>; defaults: Readonly<Record<Name, number>> },
): CheckedNumbers<Name> {
  const numbers: Record<Name, number> = { ...defaults };
  const faults: Fault[] = [];
  for (const path of Object.keys(rules) as Name[]) {
    const value = given[path];
    if (value === undefined) continue;
    const message = numberFault(value, rules[path]);
    if (message === null) numbers[path] = value as number;
    else faults.push({ path, message });
  }
  return { numbers, faults };
}

/** `86,400,000`; the same in every language of the machine. */
export function withCommas(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
