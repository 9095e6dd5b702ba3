import type { Acknowledgements } from "./acknowledgements.js";
import { isPaidInTime } from "../orders/replay-plan.js";
import type { OrderHistory } from "./histories.js";
import type { SourceOrder } from "../orders/orders.js";
import type { ShopRows } from "./shop-records.js";

/** Lays side by side, order by order, what the data says, what was acknowledged and what the tables hold. */
export function collectHistories(
  orders: readonly SourceOrder[],
  log: Acknowledgements,
  rows: ShopRows,
): OrderHistory[] {
  return orders.map((order) => ({
    orderId: order.orderId,
    isPaidInTime: isPaidInTime(order),
    ...log.of(order.orderId),
    starts: rows.starts.get(order.orderId) ?? [],
    effects: rows.effects.get(order.orderId) ?? [],
    paidWhileRunningOn: rows.paidWhileRunningOn.get(order.orderId) ?? null,
  }));
}
