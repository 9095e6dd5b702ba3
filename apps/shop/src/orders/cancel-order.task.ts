import { defineTask } from "@tickwheel/nestjs";

/** What a task to cancel an order carries. Its key is the order's id. */
export interface CancelOrderPayload {
  orderId: string;
}

/** Cancels an order that is not paid in time. */
export const CancelOrder = defineTask<CancelOrderPayload>("order.cancel", {
  maxAttempts: 10,
  backoff: { kind: "exponential", initial: "500ms", max: "10s" },
  timeout: "30s",
});
