import type { Delivery, HandlerDelivery, WebhookDelivery } from "./task.js";

type Delivered = { readonly webhook: Delivery | null };

/** Where a webhook task goes; null: a handler runs it. */
export function webhookOf({ webhook: delivery }: Delivered): WebhookDelivery | null {
  return delivery?.kind === "webhook" ? delivery : null;
}

/** The version of a handler task's payload; null: its creator knew none, or it is a webhook's. */
export function payloadVersionOf({ webhook: delivery }: Delivered): number | null {
  return delivery?.kind === "handler" ? delivery.payloadVersion : null;
}

/** What is stored of a handler task whose payload has this version; null: nothing is. */
export function handlerDelivery(payloadVersion: number | null | undefined): HandlerDelivery | null {
  return typeof payloadVersion === "number" ? { kind: "handler", payloadVersion } : null;
}
