import { MAX_DELAY_MS, parseDurationMs } from "@tickwheel/core";
import { ValidateBy } from "class-validator";

/** The longest payload, in bytes of its JSON. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** How deep a payload may be nested. */
export const MAX_PAYLOAD_DEPTH = 32;
/** Instants need an offset: a time without one would mean another moment on every machine. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;

/** Epoch milliseconds of an ISO 8601 instant with offset, or null. A day that the calendar lacks is refused. */
export function parseInstant(value: unknown): number | null {
  if (typeof value !== "string" || !INSTANT.test(value)) return null;
  const at = Date.parse(value);
  const day = Number(value.slice(8, 10));
  const lastDay = new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0)).getUTCDate();
  return Number.isFinite(at) && day <= lastDay ? at : null;
}

/** Nesting of a JSON value: 0 for a scalar, 1 for a flat object or list. Looks no deeper than `limit` + 1. */
export function depthOf(value: unknown, limit: number): number {
  let level = [value].filter(isContainer);
  for (let depth = 0; depth <= limit; depth++) {
    if (level.length === 0) return depth;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return limit + 1;
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === "object";
}

/** What is wrong with a payload, or null. */
export function payloadFault(payload: unknown): { tooLarge: boolean; message: string } | null {
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

/** Validates a duration between bounds in milliseconds. */
export function IsDuration(bounds: { minMs?: number; maxMs?: number } = {}): PropertyDecorator {
  const { minMs = 0, maxMs = MAX_DELAY_MS } = bounds;
  return rule("isDuration", (value) => {
    const durationMs = parseDurationMs(value);
    if (durationMs === null)
      return 'must be a duration: milliseconds of at least 0, or a string such as "15m", "1h30m" or "PT15M"';
    if (durationMs < minMs) return `must be at least ${minMs} ms`;
    return durationMs > maxMs ? `must be at most ${maxMs} ms` : null;
  });
}

/** Validates an ISO 8601 instant with offset. */
export function IsInstant(): PropertyDecorator {
  return rule("isInstant", (value) =>
    parseInstant(value) === null ? 'must be an ISO 8601 instant with offset, such as "2026-11-21T08:00:00Z"' : null,
  );
}

/** Validates a string's length in characters, and that it holds no NUL. */
export function IsText(minLength: number, maxLength: number): PropertyDecorator {
  return rule("isText", (value) => {
    if (typeof value !== "string" || value.length < minLength || value.length > maxLength)
      return `must be a string of ${minLength} to ${maxLength} characters`;
    return value.includes("\0") ? "must not contain NUL" : null;
  });
}

/** Validates JSON of a bounded size and depth. */
export function IsPayload(): PropertyDecorator {
  return rule("isPayload", (value) => payloadFault(value)?.message ?? null);
}

/** Forbids a property beside another one. */
export function ExcludesWith(other: string): PropertyDecorator {
  return rule("excludesWith", (value, owner) =>
    value !== undefined && value !== null && owner[other] !== undefined && owner[other] !== null
      ? `must not be given together with ${other}`
      : null,
  );
}

/** A class-validator rule from a function that answers what is wrong, or null. */
export function rule(
  name: string,
  faultOf: (value: unknown, owner: Record<string, unknown>) => string | null,
): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) => faultOf(value, args!.object as Record<string, unknown>) === null,
      defaultMessage: (args) => faultOf(args!.value, args!.object as Record<string, unknown>) ?? "",
    },
  });
}
