import type { Delivery, HandlerDelivery, WebhookDelivery } from "./task.js";
import type { TraceContext } from "./trace-context.js";

type Delivered = { readonly delivery: Delivery | null };

/** Where a webhook task goes, as its creator said it: without its trace. Null: a handler runs it. */
export function webhookOf({ delivery }: Delivered): WebhookDelivery | null {
  if (delivery?.kind !== "webhook") return null;
  if (delivery.trace === undefined) return delivery;
  const { trace: _trace, ...shown } = delivery;
  return shown;
}

/** The version of a handler task's payload; null: its creator knew none, or it is a webhook's. */
export function payloadVersionOf({ delivery }: Delivered): number | null {
  return delivery?.kind === "handler" ? (delivery.payloadVersion ?? null) : null;
}

/** The trace context of a task's creation; null: it has none. Never shown to callers. */
export function traceOf({ delivery }: Delivered): TraceContext | null {
  return delivery?.trace ?? null;
}

/** What is stored of a handler task whose payload has this version; null: nothing is. */
export function handlerDelivery(payloadVersion: number | null | undefined): HandlerDelivery | null {
  return typeof payloadVersion === "number" ? { kind: "handler", payloadVersion } : null;
}

/** What is stored of a delivery with the trace context of its task's creation. */
export function withTrace(delivery: Delivery | null, trace: TraceContext | null | undefined): Delivery | null {
  return trace ? { ...(delivery ?? { kind: "handler" }), trace } : delivery;
}
