import type { PaymentCall } from "./histories.js";

/** What was acknowledged for an order. Instants are epoch milliseconds of the database's clock. */
export interface Acknowledged {
  cancelAt: number;
  payment: PaymentCall | null;
}

/** The replay's log of acknowledgements: the one thing besides the shop's tables that the judge believes. */
export class Acknowledgements {
  private readonly byOrder = new Map<string, Acknowledged>();
  private acceptedPayments = 0;

  placed(orderId: string, cancelAt: number): void {
    this.byOrder.set(orderId, { cancelAt, payment: null });
  }

  paymentAnswered(orderId: string, payment: PaymentCall): void {
    this.of(orderId).payment = payment;
    if (payment.answer === "paid") this.acceptedPayments += 1;
  }

  /** @throws Error for an order whose purchase was never acknowledged */
  of(orderId: string): Acknowledged {
    const acknowledged = this.byOrder.get(orderId);
    if (!acknowledged) throw new Error(`The purchase of order ${orderId} was not acknowledged`);
    return acknowledged;
  }

  get placedCount(): number {
    return this.byOrder.size;
  }

  get paidCount(): number {
    return this.acceptedPayments;
  }

  /** When the last order is to be cancelled. */
  get lastCancelAt(): number {
    let last = 0;
    for (const { cancelAt } of this.byOrder.values()) last = Math.max(last, cancelAt);
    return last;
  }
}
