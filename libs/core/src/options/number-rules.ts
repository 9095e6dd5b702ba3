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

/** The same in every language of the machine. */
function withCommas(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
