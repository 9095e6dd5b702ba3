import type { Order } from "./order.entity.js";

/** What placing an order answers: the same however often it is asked, whatever became of the order meanwhile. */
export function placedView({ id, timeoutMs, placedAt, cancelAt }: Order): object {
  return { orderId: id, timeoutMs, placedAt, cancelAt };
}

/** An order as it is now. */
export function orderView(order: Order): object {
  return { ...placedView(order), status: order.status, closedAt: order.closedAt };
}
