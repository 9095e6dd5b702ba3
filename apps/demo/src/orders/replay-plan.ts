import type { SourceOrder } from "./orders.js";

/** How long an order of the data waits for its payment, in seconds. */
export const TIMEOUT_S = 930;
/** Payments that come later than this are not sent. */
const LATEST_PAYMENT_S = 1_200;

export interface Pace {
  /** Purchases in a second. */
  rate: number;
  /** How many times faster an order's own delays are than in the data. */
  speed: number;
}

/** An order as it is replayed. */
export interface OrderPlan {
  orderId: string;
  /** When its purchase is sent, counted from the replay's start. */
  atMs: number;
  /** How long after the purchase its payment is sent; null: never. */
  paymentAfterMs: number | null;
}

/** An order's time-out in the replay, in whole milliseconds. */
export function timeoutMs({ speed }: Pick<Pace, "speed">): number {
  return Math.max(1, Math.round((TIMEOUT_S * 1_000) / speed));
}

/** The outcome that the data says is right: paid in time, or else cancelled. */
export function isPaidInTime({ approvedAfterS }: SourceOrder): boolean {
  return approvedAfterS !== null && approvedAfterS < TIMEOUT_S;
}

/** When which call is made. Purchases keep the order of the data. */
export function planOrders(orders: readonly SourceOrder[], { rate, speed }: Pace): OrderPlan[] {
  return orders.map(({ orderId, approvedAfterS }, index) => ({
    orderId,
    atMs: (index * 1_000) / rate,
    paymentAfterMs:
      approvedAfterS === null || approvedAfterS > LATEST_PAYMENT_S ? null : (approvedAfterS * 1_000) / speed,
  }));
}
