/**
 * The trace context that travels with a task, as W3C's "Trace Context" and "Baggage" write it in headers. It is stored
 * beside the delivery of its task, sent on by webhooks, and never shown to callers.
 */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  traceparent: string;
  tracestate?: string;
  /** Members whose keys the node allows, as they came. */
  baggage?: string;
}

/** The headers of a request, or of a delivery, which carry a trace. Others' requests may have anything in them. */
export interface TraceHeaders {
  traceparent?: unknown;
  tracestate?: unknown;
  baggage?: unknown;
}

/** At most so many bytes of headers travel with a task: baggage is left out first, then `tracestate`. */
export const MAX_TRACE_BYTES = 2_048;

/** How many keys of baggage may be allowed: as many members as W3C has a baggage hold at least. */
export const MAX_BAGGAGE_KEYS = 64;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;
const MAX_STATE_MEMBERS = 32;
const STATE_KEY = /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})$/;
/** Printable ASCII without comma and equals sign; its last character is no space. */
const STATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What a member of baggage is made of: printable ASCII without comma, quotation mark and backslash. */
const BAGGAGE_TEXT = /^[\x20\x21\x23-\x2b\x2d-\x5b\x5d-\x7e\t]*$/;

/**
 * The context that headers carry; null: they carry none. A malformed header is ignored, never an error: a bad
 * `traceparent` with all that depends on it, a bad `tracestate` alone, and of `baggage` each bad member alone.
 *
 * @param allowed keys of the baggage that travels
 */
export function traceContextOf(headers: TraceHeaders, allowed: readonly string[]): TraceContext | null {
  const traceparent = traceparentOf(headers.traceparent);
  if (traceparent === null) return null;
  const tracestate = tracestateOf(headers.tracestate);
  const baggage = baggageOf(headers.baggage, allowed);
  return withinLimit({ traceparent, ...(tracestate !== null && { tracestate }), ...(baggage !== null && { baggage }) });
}

/** The same context within {@link MAX_TRACE_BYTES}. */
export function withinLimit({ traceparent, tracestate, baggage }: TraceContext): TraceContext {
  const state = tracestate !== undefined && traceparent.length + tracestate.length <= MAX_TRACE_BYTES ? tracestate : "";
  const leftBytes = MAX_TRACE_BYTES - traceparent.length - (tracestate ?? "").length;
  return {
    traceparent,
    ...(state !== "" && { tracestate: state }),
    ...(baggage !== undefined && baggage !== "" && baggage.length <= leftBytes && { baggage }),
  };
}

/** What a `traceparent` says; null: it is none. A later version than ours is read as far as ours goes. */
export function traceIdsOf(traceparent: string): { traceId: string; spanId: string; flags: number } | null {
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** The header of these ids. "sampled" is the only flag whose meaning is ours to pass on. */
export function traceparentFrom({
  traceId,
  spanId,
  flags,
}: {
  traceId: string;
  spanId: string;
  flags: number;
}): string {
  return `00-${traceId}-${spanId}-0${flags & 1}`;
}

/** The members of a `baggage` header whose keys are allowed, with their properties; null: there are none. */
export function baggageOf(header: unknown, allowed: readonly string[]): string | null {
  const text = textOf(header);
  if (text === null || allowed.length === 0) return null;
  const members = membersOf(text).filter((member) => isAllowed(member, allowed));
  return members.length === 0 ? null : members.join(",");
}

/** Whether a text can be the key of a member of baggage. */
export function isBaggageKey(text: string): boolean {
  return TOKEN.test(text);
}

function traceparentOf(header: unknown): string | null {
  const ids = typeof header === "string" ? traceIdsOf(header.trim()) : null;
  return ids && traceparentFrom(ids);
}

function tracestateOf(header: unknown): string | null {
  const text = textOf(header);
  if (text === null) return null;
  const members = membersOf(text).filter((member) => member !== "");
  const isSound = members.length <= MAX_STATE_MEMBERS && members.every(isStateMember);
  return isSound && members.length > 0 ? members.join(",") : null;
}

function membersOf(text: string): string[] {
  return text.split(",").map((member) => member.trim());
}

function isStateMember(member: string): boolean {
  const [key = "", value = "", ...more] = member.split("=");
  return more.length === 0 && STATE_KEY.test(key) && STATE_VALUE.test(value);
}

function isAllowed(member: string, allowed: readonly string[]): boolean {
  const equals = member.indexOf("=");
  return equals > 0 && BAGGAGE_TEXT.test(member) && allowed.includes(member.slice(0, equals).trim());
}

/** A header that came several times is a list, or one text already. Longer ones are not looked at. */
function textOf(header: unknown): string | null {
  const text: unknown = Array.isArray(header) ? header.join(",") : header;
  return typeof text === "string" && text.length <= MAX_HEADER_LENGTH ? text : null;
}

/** W3C's bound for baggage. */
const MAX_HEADER_LENGTH = 8_192;
