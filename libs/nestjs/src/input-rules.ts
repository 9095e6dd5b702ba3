import { MAX_DELAY_MS, parseDurationMs } from "@tickwheel/core";

/** What is wrong with a value, or null. */
export type InputRule = (value: unknown) => string | null;

/** The longest payload, in bytes of its JSON. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** How deep a payload may be nested. */
export const MAX_PAYLOAD_DEPTH = 32;
/** What is wrong with anything that is no duration. */
export const NO_DURATION =
  'must be a duration: milliseconds of at least 0, or a string such as "15m", "1h30m" or "PT15M"';
/** Instants need an offset: a time without one would mean another moment on every machine. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;
/** The instants whose year has four digits. */
const [FIRST_INSTANT, LAST_INSTANT] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];
const TYPE = /^[A-Za-z0-9._:-]{1,128}$/;
/** Headers that a delivery sets itself. */
const OWN_HEADERS = /^(host|content-length|content-type|connection|transfer-encoding|webhook-.*)$/i;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/**
 * Epoch milliseconds of an ISO 8601 instant with offset, or of a Date of the same years; else null. A day that the calendar lacks is
 * refused.
 */
export function parseInstant(value: unknown): number | null {
  if (value instanceof Date) return isBetween(value.getTime(), FIRST_INSTANT, LAST_INSTANT) ? value.getTime() : null;
  if (typeof value !== "string" || !INSTANT.test(value)) return null;
  const at = Date.parse(value);
  const day = Number(value.slice(8, 10));
  return Number.isFinite(at) && (day <= 28 || day <= lastDayOfMonth(value)) ? at : null;
}

/** The URL that a text is, or null. */
export function parseUrl(value: unknown): URL | null {
  return typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
}

/** Nesting of a JSON value: 0 for a scalar, 1 for a flat object or list. Looks no deeper than `limit` + 1. */
export function depthOf(value: unknown, limit: number): number {
  if (!isContainer(value)) return 0;
  let deepest = 0;
  // By hand: `Object.values` would make a list for every container of every payload.
  if (Array.isArray(value))
    for (let index = 0; index < value.length && deepest < limit; index++)
      deepest = Math.max(deepest, depthOf(value[index], limit - 1));
  else
    for (const key in value) {
      if (deepest >= limit) break;
      if (Object.hasOwn(value, key)) deepest = Math.max(deepest, depthOf(value[key], limit - 1));
    }
  return deepest + 1;
}

export function isContainer(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}

/**
 * At most so many bytes is the JSON of a value of at most `levels` levels; infinite where that cannot be told without writing it: deeper
 * values, and what is no plain object, list, text, number or boolean.
 */
function mostBytes(value: unknown, levels: number): number {
  if (typeof value === "string") return 2 + value.length * MOST_BYTES_PER_CHARACTER;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return MOST_BYTES_OF_NUMBER;
  if (!isContainer(value) || levels === 0) return Infinity;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += 1 + mostBytes(item, levels - 1);
  else if (Object.getPrototypeOf(value) !== Object.prototype) return Infinity;
  else
    for (const key in value)
      if (Object.hasOwn(value, key))
        bytes += 4 + key.length * MOST_BYTES_PER_CHARACTER + mostBytes(value[key], levels - 1);
  return "toJSON" in value ? Infinity : bytes;
}

/** An escape such as `\u001f`. */
const MOST_BYTES_PER_CHARACTER = 6;
const MOST_BYTES_OF_NUMBER = 25;

/** What is wrong with a payload, or null. Most need not be written to see that they are small. */
export function payloadFault(payload: unknown): { tooLarge: boolean; message: string } | null {
  if (mostBytes(payload, MAX_PAYLOAD_DEPTH) <= MAX_PAYLOAD_BYTES) return null;
  if (depthOf(payload, MAX_PAYLOAD_DEPTH) > MAX_PAYLOAD_DEPTH)
    return { tooLarge: false, message: `must not be nested deeper than ${MAX_PAYLOAD_DEPTH} levels` };
  let text: string | undefined;
  try {
    text = JSON.stringify(payload ?? null);
  } catch {
    text = undefined;
  }
  if (text === undefined) return { tooLarge: false, message: "must be JSON" };
  const bytes = Buffer.byteLength(text, "utf8");
  return bytes > MAX_PAYLOAD_BYTES
    ? { tooLarge: true, message: `must be at most ${MAX_PAYLOAD_BYTES} bytes of JSON, not ${bytes}` }
    : null;
}

/** JSON of a bounded size and depth. */
export const payloadRule: InputRule = (value) => payloadFault(value)?.message ?? null;

/** A task's type. */
export const typeRule: InputRule = (value) =>
  typeof value === "string" && TYPE.test(value) ? null : "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -";

/** An ISO 8601 instant with offset. */
export const instantRule: InputRule = (value) =>
  parseInstant(value) === null ? 'must be an ISO 8601 instant with offset, such as "2026-11-21T08:00:00Z"' : null;

/** A duration between bounds in milliseconds. */
export function durationRule(bounds: { minMs?: number; maxMs?: number } = {}): InputRule {
  const { minMs = 0, maxMs = MAX_DELAY_MS } = bounds;
  return (value) => {
    const durationMs = parseDurationMs(value);
    if (durationMs === null) return NO_DURATION;
    if (durationMs < minMs) return `must be at least ${minMs} ms`;
    return durationMs > maxMs ? `must be at most ${maxMs} ms` : null;
  };
}

/** A string of so many characters, without NUL. */
export function textRule(minLength: number, maxLength: number): InputRule {
  return (value) => {
    if (typeof value !== "string" || !isBetween(value.length, minLength, maxLength))
      return `must be a string of ${minLength} to ${maxLength} characters`;
    return value.includes("\0") ? "must not contain NUL" : null;
  };
}

/** One of a few strings. */
export function oneOfRule(options: readonly string[], message: string): InputRule {
  return (value) => (options.includes(value as string) ? null : message);
}

export const integerRule: InputRule = (value) => (Number.isInteger(value) ? null : "must be an integer");

export const numberRule: InputRule = (value) => (Number.isFinite(value) ? null : "must be a number");

export function minRule(min: number): InputRule {
  return (value) => (typeof value === "number" && value >= min ? null : `must be at least ${min}`);
}

export function maxRule(max: number): InputRule {
  return (value) => (typeof value === "number" && value <= max ? null : `must be at most ${max}`);
}

/** Where a webhook may go, as far as an input alone can tell. */
export const webhookUrlRule: InputRule = (value) =>
  typeof value === "string" && value.length <= 2_048 && /^https?:$/.test(parseUrl(value)?.protocol ?? "")
    ? null
    : "must be an http or https URL of at most 2048 characters";

/** Headers that a webhook task may add to its delivery. */
export const headersRule: InputRule = (value) => {
  if (!isContainer(value) || Array.isArray(value)) return "must be an object of strings";
  const entries = Object.entries(value);
  if (entries.length > 32) return "must hold at most 32 headers";
  for (const [name, text] of entries) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name)) return `must not set the header ${JSON.stringify(name)}`;
    if (typeof text !== "string" || text.length > 1_024 || /[^\t\x20-\x7e]/.test(text))
      return `must give the header ${name} as printable ASCII of at most 1024 characters`;
  }
  return null;
};

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** `Date.parse` takes 30 February for 2 March. */
function lastDayOfMonth(instant: string): number {
  return new Date(Date.UTC(Number(instant.slice(0, 4)), Number(instant.slice(5, 7)), 0)).getUTCDate();
}
