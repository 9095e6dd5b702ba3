import type { Baggage, Context, SpanContext } from "@opentelemetry/api";
import { baggageOf, type TraceContext, traceIdsOf, traceparentFrom, withinLimit } from "@tickwheel/core";

type Api = typeof import("@opentelemetry/api");

/** The span that stored headers name, as one of another process. Null: they name none. */
export function spanContextOf(api: Api, { traceparent, tracestate }: TraceContext): SpanContext | null {
  const ids = traceIdsOf(traceparent);
  if (ids === null) return null;
  const { traceId, spanId, flags } = ids;
  const state = tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) };
  return { traceId, spanId, traceFlags: flags, isRemote: true, ...state };
}

/** A context in which that span is the active one, with the baggage that travelled; `base` where there is none. */
export function contextOf(api: Api, base: Context, trace: TraceContext | null): Context {
  const span = trace && spanContextOf(api, trace);
  if (!span) return base;
  const context = api.trace.setSpanContext(base, span);
  return trace.baggage === undefined ? context : api.propagation.setBaggage(context, readBaggage(api, trace.baggage));
}

/**
 * What a task, or a delivery, carries of a context; null: no span is active in it. The headers are always W3C's,
 * whatever the application's own propagator writes: a node reads what another one has stored.
 */
export function carriedOf(api: Api, context: Context, allowed: readonly string[]): TraceContext | null {
  const span = api.trace.getSpanContext(context);
  if (!span || !api.isSpanContextValid(span)) return null;
  const { traceId, spanId, traceFlags: flags, traceState } = span;
  const tracestate = traceState?.serialize() ?? "";
  const baggage = writeBaggage(api.propagation.getBaggage(context), allowed);
  return withinLimit({
    traceparent: traceparentFrom({ traceId, spanId, flags }),
    ...(tracestate !== "" && { tracestate }),
    ...(baggage !== null && { baggage }),
  });
}

function writeBaggage(baggage: Baggage | undefined, allowed: readonly string[]): string | null {
  if (!baggage || allowed.length === 0) return null;
  const members = baggage.getAllEntries().map(([key, { value, metadata }]) => {
    const properties = metadata?.toString() ?? "";
    return `${key}=${encodeURIComponent(value)}${properties === "" ? "" : `;${properties}`}`;
  });
  return baggageOf(members, allowed);
}

/** Reads members that were checked when they came. */
function readBaggage(api: Api, text: string): Baggage {
  const entries = text.split(",").map((member) => {
    const [pair = "", ...properties] = member.split(";");
    const equals = pair.indexOf("=");
    const metadata = api.baggageEntryMetadataFromString(properties.join(";"));
    return [pair.slice(0, equals).trim(), { value: decoded(pair.slice(equals + 1).trim()), metadata }] as const;
  });
  return api.propagation.createBaggage(Object.fromEntries(entries));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
