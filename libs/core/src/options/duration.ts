import { TickwheelError } from "../errors/errors.js";
/** The longest delay that a task may have: 100 years of 365.25 days, in milliseconds. */
export const MAX_DELAY_MS = 100 * 365.25 * 86_400_000;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** Digits without a leading zero; the compiler's pattern takes a minus, too, which `StartsWith` takes away. */
type Whole = `${bigint}`;
type Fraction = Whole | `0${Whole}` | `00${Whole}`;
type OneUnit = `${Whole | `${Whole}.${Fraction}`}${"w" | "d" | "h" | "m" | "s" | "ms"}`;
type Behind<Unit extends string, Next extends string> = `${Whole}${Unit}${Whole}${Next}`;
type Units =
  | (Behind<"w", "d" | "h"> | Behind<"d", "h" | "m"> | Behind<"h", "m" | "s"> | Behind<"m", "s"> | Behind<"s", "ms">)
  | (Behind<"d", `h${Whole}m`> | Behind<"h", `m${Whole}s`>);
type IsoDays = `P${Whole}${"W" | "D" | `DT${Whole}H`}`;
type IsoTimes = `PT${Whole}${"H" | "M" | "S" | `H${Whole}M` | `M${Whole}S` | `.${Fraction}S`}`;
type StartsWith<Prefix extends "" | "-" | "P" | "PT"> = `${Prefix}${Digit}${string}`;

/**
 * A duration as a text that the compiler checks: an amount and its unit (`w`, `d`, `h`, `m`, `s`, `ms`), such as
 * `"15m"`, `"1.5h"`, `"500ms"`; two or three of them, the greatest first, such as `"1h30m"`; or ISO 8601, such as
 * `"PT15M"`. Without a sign and without spaces. A text that is known only at run time becomes one by {@link duration},
 * which also takes the longer forms that {@link parseDurationMs} reads and this type does not, such as `"1w2d3h4m"`.
 */
export type Duration =
  | ((OneUnit | Units) & StartsWith<"">)
  | (IsoDays & StartsWith<"P">)
  | (IsoTimes & StartsWith<"PT">);

/** A duration as it is written in code: milliseconds, or a text such as `"15m"`. */
export type DurationInput = number | Duration;

/** By how much something is moved: a duration, or with a minus one backwards, such as `"-15m"`. */
export type ShiftInput = DurationInput | (`-${OneUnit | Units}` & StartsWith<"-">);

/**
 * Takes a text that is known only at run time, such as a variable of the environment, for a duration.
 *
 * @example const payWithin = duration(process.env.PAY_WITHIN ?? "15m");
 * @returns the text, as it is
 * @throws TickwheelError `VALIDATION_FAILED`: it is no duration; the message has the text and what is taken
 */
export function duration(text: string): Duration {
  const isText: boolean = typeof text === "string";
  if (isText && parseDurationMs(text) !== null) return text as Duration;
  const given = isText ? JSON.stringify(text.slice(0, 80)) : `a value of type ${typeof text}`;
  throw new TickwheelError(
    "VALIDATION_FAILED",
    `${given} is no duration: it must be a text such as "15m", "1.5h", "500ms", "1h30m" or "PT15M".`,
    { faults: [{ path: "duration", message: "must be a duration" }] },
  );
}

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
