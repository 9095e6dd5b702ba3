import type { GraphqlScalar, JsonSchema } from "../shapes/shape.js";
import {
  BATCH_KEY,
  MAX_DELAY_MS,
  MAX_KEY_LENGTH,
  parseDurationMs,
  parseInstant,
  SCHEDULE_KEY,
  shownText,
} from "@tickwheel/core";

/** What a rule tells of the values that keep it. */
export interface Told {
  json: JsonSchema;
  /** Where the schema cannot tell. Default: by the schema's type and format, else `JSON`. */
  graphql?: GraphqlScalar;
}

/** What is wrong with a value, or null. */
export interface InputRule {
  (value: unknown): string | null;
  readonly told?: Told;
}

/** A rule that tells, in JSON Schema, what it lets through. */
export function told(json: JsonSchema, rule: InputRule, graphql?: GraphqlScalar): InputRule {
  return Object.assign(rule, { told: { json, ...(graphql && { graphql }) } });
}

/** What is wrong with anything that is no duration. */
export const NO_DURATION =
  'must be a duration: milliseconds of at least 0, or a string such as "15m", "1h30m" or "PT15M"';
/**
 * Headers that a delivery sets itself, those that a broker obeys, and those of a connection, which the client refuses
 * or which mean another kind of exchange.
 */
const OWN_HEADERS =
  /^(host|content-length|content-type|accept-encoding|connection|keep-alive|proxy-connection|transfer-encoding|te|trailer|upgrade|http2-settings|expect|webhook-.*|tickwheel-.*|nats-.*)$/i;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** The URL that a text is, or null. */
export function parseUrl(value: unknown): URL | null {
  return typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
}

export function isContainer(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}

/**
 * A name that may be a part of an address. `.` and `..` are none: software that resolves an address takes them away,
 * also where they are written as `%2E`, so that what has such a name would never be reached.
 */
export function nameRule(maxLength: number): InputRule {
  const NAME = new RegExp(`^[A-Za-z0-9._:-]{1,${maxLength}}$`);
  return told({ type: "string", pattern: `^(?!\\.{1,2}$)[A-Za-z0-9._:-]{1,${maxLength}}$` }, (value) => {
    if (typeof value !== "string" || !NAME.test(value))
      return `must be 1 to ${maxLength} characters of A-Z a-z 0-9 . _ : -`;
    return value === "." || value === ".." ? `must not be "${value}", which no address can carry` : null;
  });
}

/** A task's type. */
export const typeRule: InputRule = nameRule(128);

/**
 * An ISO 8601 instant with offset, from 1970 on. How far ahead it may be is for those to say who know what time it is.
 */
export const instantRule: InputRule = told({ type: "string", format: "date-time" }, (value) => {
  const at = parseInstant(value);
  if (at === null) return 'must be an ISO 8601 instant with offset, such as "2026-11-21T08:00:00Z"';
  return at < 0 ? "must not be before 1970" : null;
});

/** Milliseconds, or a text. */
export const DURATION_JSON: JsonSchema = {
  description: 'Milliseconds, or a string such as "15m", "1h30m" or "PT15M".',
  oneOf: [{ type: "number", minimum: 0 }, { type: "string" }],
};

/** A duration between bounds in milliseconds. */
export function durationRule(bounds: { minMs?: number; maxMs?: number } = {}): InputRule {
  const { minMs = 0, maxMs = MAX_DELAY_MS } = bounds;
  const rule: InputRule = (value) => {
    const durationMs = parseDurationMs(value);
    if (durationMs === null) return NO_DURATION;
    if (durationMs < minMs) return `must be at least ${minMs} ms`;
    return durationMs > maxMs ? `must be at most ${maxMs} ms` : null;
  };
  return told(DURATION_JSON, rule, "Duration");
}

/** A string of so many characters that every store takes, each its own: without NUL and lone surrogates. */
export function textRule(minLength: number, maxLength: number): InputRule {
  return told({ type: "string", minLength, maxLength }, (value) => {
    if (typeof value !== "string" || !isBetween(value.length, minLength, maxLength))
      return `must be a string of ${minLength} to ${maxLength} characters`;
    if (value.includes("\0")) return "must not contain NUL";
    return value.isWellFormed() ? null : "must not contain a lone surrogate";
  });
}

const keyText = textRule(1, MAX_KEY_LENGTH);
/** The key of a new task. Schedules and batches have theirs for themselves. */
export const keyRule: InputRule = told(
  { type: "string", minLength: 1, maxLength: MAX_KEY_LENGTH },
  (value) => reservedKey(value) ?? keyText(value),
);

function reservedKey(key: unknown): string | null {
  if (typeof key !== "string") return null;
  if (key.startsWith(SCHEDULE_KEY)) return "must not begin with schedule:, which is for the keys of schedules";
  return key.startsWith(BATCH_KEY) ? "must not begin with batch:, which is for the keys of batches" : null;
}

/** One of a few strings. */
export function oneOfRule(options: readonly string[], message: string): InputRule {
  return told({ type: "string", enum: options }, (value) => (options.includes(value as string) ? null : message));
}

export const integerRule: InputRule = told({ type: "integer" }, (value) =>
  Number.isInteger(value) ? null : "must be an integer",
);

export const flagRule: InputRule = told({ type: "boolean" }, (value) =>
  typeof value === "boolean" ? null : "must be true or false",
);

export const numberRule: InputRule = told({ type: "number" }, (value) =>
  Number.isFinite(value) ? null : "must be a number",
);

export function minRule(min: number): InputRule {
  return told({ minimum: min }, (value) =>
    typeof value === "number" && value >= min ? null : `must be at least ${min}`,
  );
}

export function maxRule(max: number): InputRule {
  return told({ maximum: max }, (value) =>
    typeof value === "number" && value <= max ? null : `must be at most ${max}`,
  );
}

const urlText = textRule(1, 2_048);
/** Where a webhook may go, as far as an input alone can tell. */
export const webhookUrlRule: InputRule = told({ type: "string", format: "uri", maxLength: 2_048 }, (value) =>
  urlText(value) === null && /^https?:$/.test(parseUrl(value)?.protocol ?? "")
    ? null
    : "must be an http or https URL of at most 2048 characters",
);

const SUBJECT = /^(?=[^*>]*$)[\x21-\x7e]{1,255}$/;
/** Where in a broker a message may go, as far as an input alone can tell. */
export const subjectRule: InputRule = told({ type: "string", pattern: "^(?=[^*>]*$)[\\x21-\\x7e]{1,255}$" }, (value) =>
  typeof value === "string" && SUBJECT.test(value)
    ? null
    : "must be 1 to 255 printable ASCII characters without spaces, * and >",
);

/** Headers that a task may add to its delivery. */
export const headersRule: InputRule = told(
  { type: "object", additionalProperties: { type: "string" }, maxProperties: 32 },
  headerFault,
  "JSON",
);

function headerFault(value: unknown): string | null {
  if (!isContainer(value) || Array.isArray(value)) return "must be an object of strings";
  const entries = Object.entries(value);
  if (entries.length > 32) return "must hold at most 32 headers";
  for (const [name, text] of entries) {
    if (!HEADER_NAME.test(name))
      return "must name headers by 1 to 128 characters of A-Z a-z 0-9 ! # $ % & ' * + . ^ _ ` | ~ -";
    if (OWN_HEADERS.test(name)) return `must not set the header "${shownText(name)}"`;
    if (typeof text !== "string" || text.length > 1_024 || /[^\t\x20-\x7e]/.test(text))
      return `must give the header ${name} as printable ASCII of at most 1024 characters`;
  }
  return null;
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** `Date.parse` takes 30 February for 2 March. */
