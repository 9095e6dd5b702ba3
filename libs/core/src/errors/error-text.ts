/** The longest text that is kept of an error, in bytes of UTF-8. */
export const MAX_ERROR_BYTES = 4_096;

/** Where a stack's frames begin. */
const FRAMES = "\n    at ";

/**
 * What was thrown, for people: `name: message`, and the stack after it. Never throws, whatever was thrown, and reads
 * nothing but these three: anything can be thrown, with getters that throw themselves, as a revoked proxy, from another
 * realm. At most {@link MAX_ERROR_BYTES} characters and one; not yet fit to be stored (see {@link storableText}).
 *
 * @example errorText(new Error("no luck")) // "Error: no luck\n    at …"
 */
export function errorText(thrown: unknown): string {
  if (!isObject(thrown)) return shortened(textOf(() => thrown) ?? "");
  const message = textOf(() => thrown.message);
  const stack = textOf(() => stringOnly(thrown.stack));
  if (message === undefined && stack === undefined) return shortened(textOf(() => thrown) ?? NAMELESS);
  const name = textOf(() => stringOnly(thrown.name)) || "Error";
  const head = shortened(message ? `${shortened(name)}: ${shortened(message)}` : name);
  return shortened(stack?.startsWith(head) ? stack : head + framesOf(stack ?? ""));
}

/**
 * Text that every store takes: no NUL, no lone surrogates, at most {@link MAX_ERROR_BYTES} bytes of UTF-8, cut between
 * characters. What is no text is described.
 */
export function storableText(text: unknown): string {
  const given = typeof text === "string" ? shortened(text) : errorText(text);
  const clean = given.replaceAll("\0", "\uFFFD").toWellFormed();
  return clean.slice(0, new TextEncoder().encodeInto(clean, new Uint8Array(MAX_ERROR_BYTES)).read);
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

interface ErrorLike {
  message?: unknown;
  name?: unknown;
  stack?: unknown;
}

function isObject(value: unknown): value is ErrorLike {
  return (typeof value === "object" && value !== null) || typeof value === "function";
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
