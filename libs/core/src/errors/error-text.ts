import { errorChainOf, gatheredErrors } from "./error-causes.js";
import { shownValue } from "./shown-value.js";

/** The longest text that is kept of an error, in bytes of UTF-8. */
export const MAX_ERROR_BYTES = 4_096;

/** Where a stack's frames begin. */
const FRAMES = "\n    at ";

/** The most that causes take of it; the rest is for what was thrown itself. */
const CAUSES_BYTES = 2_048;
const CAUSE_CHARACTERS = 512;
const FRAMES_OF_A_CAUSE = 5;

/** Errors of one `AggregateError` that are shown, and errors of a text in all, beside the one that was thrown. */
const SHOWN_ERRORS = 3;
const SHOWN_CAUSES = 8;

/**
 * What was thrown, for people: `name: message`, the stack after it, then its causes and the first errors of an
 * `AggregateError`, with theirs. A value that is no error is shown as JSON, within bounds. Never throws, whatever was
 * thrown: anything can be, with getters that throw themselves, as a revoked proxy, from another realm, as its own
 * cause. At most {@link MAX_ERROR_BYTES} characters and one; not yet fit to be stored (see {@link storableText}).
 *
 * @example errorText(new Error("no luck")) // "Error: no luck\n    at …"
 * @example errorText(new Error("fetch failed", { cause: refused })) // "Error: fetch failed\n    at …\n  caused by Error: connect ECONNREFUSED …"
 */
export function errorText(thrown: unknown): string {
  const causes = cutToBytes(causesText(thrown, { shown: new Set([thrown]) }), CAUSES_BYTES);
  const own = ownErrorText(thrown);
  return causes === "" ? own : cutToBytes(own, MAX_ERROR_BYTES - byteLength(causes)) + causes;
}

/** The same without causes and gathered errors. */
export function ownErrorText(thrown: unknown): string {
  const { head, stack } = partsOf(thrown);
  return shortened(stack.startsWith(head) ? stack : head + framesOf(stack));
}

/**
 * Text that every store takes: no NUL, no lone surrogates, at most {@link MAX_ERROR_BYTES} bytes of UTF-8, cut between
 * characters. A value that is no text is described.
 */
export function storableText(text: unknown): string {
  const given = typeof text === "string" ? shortened(text) : errorText(text);
  return cutToBytes(given.replaceAll("\0", "\uFFFD").toWellFormed(), MAX_ERROR_BYTES);
}

/**
 * The frames of an error's stack, for a log that tells its message in other words; empty: it has none.
 *
 * @example framesText(new Error("no luck")) // "\n    at …"
 */
export function framesText(thrown: unknown): string {
  return isObject(thrown) ? shortened(framesOf(textOf(() => stringOnly(thrown.stack)) ?? "")) : "";
}

const NAMELESS = "something was thrown that cannot be described";

/** What the first line has said already. */
const TOLD_FIELDS = ["name", "message", "stack", "cause"];

/** What a text is made of: its first line, or lines, and the stack as it is given. */
function partsOf(thrown: unknown): { head: string; stack: string } {
  if (!isObject(thrown)) return { head: shortened(textOf(() => thrown) || wordsFor(thrown)), stack: "" };
  const message = textOf(() => thrown.message);
  const stack = textOf(() => stringOnly(thrown.stack));
  if (message === undefined && stack === undefined) return { head: shortened(describedValue(thrown)), stack: "" };
  const name = textOf(() => stringOnly(thrown.name)) || "Error";
  const said = message ? `${shortened(name)}: ${shortened(message)}` : name;
  const code = message ? undefined : textOf(() => stringOnly(thrown.code));
  const fields = stack === undefined && !isError(thrown) ? shownValue(thrown, TOLD_FIELDS) : null;
  const head = said + (code ? ` [${shortened(code)}]` : "") + (fields === null ? "" : ` ${fields}`);
  return { head: shortened(head), stack: stack ?? "" };
}

function wordsFor(thrown: unknown): string {
  return thrown === "" ? "an empty text was thrown" : `${String(thrown)} was thrown`;
}

/** Its own words where it has some, else its JSON. */
function describedValue(thrown: object): string {
  const text = textOf(() => thrown);
  const hasOwnWords = text !== undefined && text !== "" && !text.startsWith("[object ") && !isList(thrown);
  return hasOwnWords ? text : (shownValue(thrown) ?? (text || NAMELESS));
}

function isError(thrown: object): boolean {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}

function isList(thrown: object): boolean {
  try {
    return Array.isArray(thrown);
  } catch {
    return false;
  }
}

/** The causes of what was thrown, and what it has gathered; each error once. */
function causesText(thrown: unknown, walk: { shown: Set<unknown> }): string {
  const { errors, count } = gatheredErrors(thrown, SHOWN_ERRORS);
  const gathered = errors.map((error) => causeText(error, `\n  one of ${count} errors: `, walk));
  const more = count > errors.length ? `\n  and ${count - errors.length} more` : "";
  const [, cause] = errorChainOf(thrown);
  return gathered.join("") + more + (cause === undefined ? "" : causeText(cause, "\n  caused by ", walk));
}

function causeText(cause: unknown, lead: string, walk: { shown: Set<unknown> }): string {
  if (walk.shown.has(cause) || walk.shown.size > SHOWN_CAUSES) return "";
  walk.shown.add(cause);
  const { head, stack } = partsOf(cause);
  const frames = framesOf(stack)
    .split("\n")
    .slice(0, FRAMES_OF_A_CAUSE + 1);
  return lead + head.slice(0, CAUSE_CHARACTERS) + shortened(frames.join("\n")) + causesText(cause, walk);
}

interface ErrorLike {
  message?: unknown;
  name?: unknown;
  code?: unknown;
  stack?: unknown;
}

function isObject(value: unknown): value is ErrorLike {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Cut between characters. */
function cutToBytes(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** One character more than can be kept, so that a pair of surrogates at the end is seen whole. */
function shortened(text: string): string {
  return text.slice(0, MAX_ERROR_BYTES + 1);
}

/** A value that is somebody else's, as text; undefined where there is none, or reading it throws. */
function textOf(read: () => unknown): string | undefined {
  try {
    const value = read();
    // oxlint-disable-next-line typescript/no-base-to-string -- whatever it is, and nothing else can be said of it
    return value === undefined || value === null ? undefined : String(value);
  } catch {
    return undefined;
  }
}

function stringOnly(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function framesOf(stack: string): string {
  const start = stack.indexOf(FRAMES);
  return start < 0 ? "" : stack.slice(start);
}
