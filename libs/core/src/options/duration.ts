/** The longest delay that a task may have: 100 years of 365.25 days, in milliseconds. */
export const MAX_DELAY_MS = 100 * 365.25 * 86_400_000;

/**
 * Milliseconds of a duration as the edge takes it: a number of milliseconds, a string such as `"15m"`, `"1h30m"`,
 * `"1.5s"`, `"250ms"`, or an ISO 8601 duration of weeks, days, hours, minutes and seconds such as `"PT15M"`,
 * `"P1DT2H"`. Null where it is none of these, negative, or not finite. Years and months are refused: their length is
 * not fixed.
 *
 * @example parseDurationMs("1h30m") // 5400000
 */
export function parseDurationMs(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : null;
  if (typeof value !== "string" || value.length > 64) return null;
  return parseIso(value) ?? parseUnits(value);
}

const UNIT_MS: Record<string, number> = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const ISO =
  /^P(?=.)(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=.)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const ISO_UNITS = ["w", "d", "h", "m", "s"];
/** Sticky: each match begins where the one before ended. */
const PART = /(\d+(?:\.\d+)?)(ms|[wdhms])/y;

function parseIso(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  return ISO_UNITS.reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * UNIT_MS[unit]!, 0);
}

function parseUnits(text: string): number | null {
  let sumMs = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text);
    if (!part) return null;
    sumMs += Number(part[1]) * UNIT_MS[part[2]!]!;
  }
  return text === "" ? null : sumMs;
}
