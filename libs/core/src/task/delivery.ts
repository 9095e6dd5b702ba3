import type {
  BrokerDelivery,
  Delivery,
  DeliveryKind,
  HandlerDelivery,
  OutboundDelivery,
  WebhookDelivery,
} from "./task.js";
import type { TraceContext } from "./trace-context.js";

type Delivered = { readonly delivery: Delivery | null };

/** Where a task is sent, as its creator said it: without its trace. Null: nowhere, a handler or a consumer runs it. */
export function outboundOf({ delivery }: Delivered): OutboundDelivery | null {
  if (delivery === null || delivery.kind === "handler") return null;
  if (delivery.trace === undefined) return delivery;
  const { trace: _trace, ...shown } = delivery;
  return shown;
}

/** Where a webhook task goes; null: it is none. */
export function webhookOf(task: Delivered): WebhookDelivery | null {
  const sent = outboundOf(task);
  return sent?.kind === "webhook" ? sent : null;
}

/** To which broker a task is published; null: to none. */
export function brokerOf(task: Delivered): BrokerDelivery | null {
  const sent = outboundOf(task);
  return sent === null || sent.kind === "webhook" ? null : sent;
}

/** How a type's tasks are run whose first one is sent so. */
export function deliveryKindOf({ kind }: OutboundDelivery): DeliveryKind {
  return kind === "webhook" ? "webhook" : "broker";
}

/** The version of a handler task's payload; null: its creator knew none, or it is sent somewhere. */
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
