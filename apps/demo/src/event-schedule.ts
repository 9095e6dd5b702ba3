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

/** A call that the replay makes. `atMs` counts from the replay's start. */
export interface ReplayEvent {
  kind: "purchase" | "payment";
  orderId: string;
  atMs: number;
}

/** An order's time-out in the replay, in whole milliseconds. */
export function timeoutMs({ speed }: Pick<Pace, "speed">): number {
  return Math.max(1, Math.round((TIMEOUT_S * 1_000) / speed));
}

/** The outcome that the data says is right: paid in time, or else cancelled. */
export function isPaidInTime({ approvedAfterS }: SourceOrder): boolean {
  return approvedAfterS !== null && approvedAfterS < TIMEOUT_S;
}

/** All calls by time: purchases in the order of the data, and of one order the purchase before the payment. */
export function scheduleEvents(orders: readonly SourceOrder[], { rate, speed }: Pace): ReplayEvent[] {
  const events = orders.flatMap(({ orderId, approvedAfterS }, index): ReplayEvent[] => {
    const atMs = (index * 1_000) / rate;
    const purchase: ReplayEvent = { kind: "purchase", orderId, atMs };
    if (approvedAfterS === null || approvedAfterS > LATEST_PAYMENT_S) return [purchase];
    return [purchase, { kind: "payment", orderId, atMs: atMs + (approvedAfterS * 1_000) / speed }];
  });
  // The sort is stable, so events of one instant keep their places.
  return events.sort((a, b) => a.atMs - b.atMs);
}
