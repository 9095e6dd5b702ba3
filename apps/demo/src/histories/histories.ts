/** What the judge is shown. All instants are milliseconds of the database's clock, with fractions. */
export interface Histories {
  orders: readonly OrderHistory[];
  kill: Kill | null;
}

/**
 * One order: what the data says of it, what was acknowledged to the replay, what the shop's append-only tables hold.
 */
export interface OrderHistory {
  orderId: string;
  /** What the data says is right: paid in time. */
  isPaidInTime: boolean;
  /** When it was to be cancelled, as the shop acknowledged it. */
  cancelAt: number;
  payment: PaymentCall | null;
  starts: readonly StartRow[];
  effects: readonly EffectRow[];
  /** The node on which an accepted payment found the order's task running. */
  paidWhileRunningOn: string | null;
}

/** A payment that was sent. `answer`: acknowledged, or refused because the order is cancelled. */
export interface PaymentCall {
  /** When it was sent for the first time. */
  sentAt: number;
  answeredAt: number;
  answer: "paid" | "too_late";
}

export interface StartRow {
  node: string;
  fence: number;
  attempt: number;
  dueAt: number;
  at: number;
}

export interface EffectRow {
  node: string;
  fence: number;
  at: number;
}

/** A node that was ended by SIGKILL. */
export interface Kill {
  node: string;
  at: number;
}
