import { setTimeout as delay } from "node:timers/promises";
import type { Acknowledgements } from "../histories/acknowledgements.js";
import type { OrderCalls } from "./order-calls.js";
import type { OrderPlan } from "../orders/replay-plan.js";

/** Something that happens when so many purchases have been sent. */
export interface Milestone {
  afterPurchases: number;
  happen: () => void;
}

export interface ReplayPlan {
  orders: readonly OrderPlan[];
  milestones: readonly Milestone[];
  timeoutMs: number;
}

interface ReplayParts {
  calls: Pick<OrderCalls, "place" | "pay">;
  log: Acknowledgements;
  /** Epoch milliseconds of the database's clock. */
  dbNow: () => number;
}

/**
 * More purchases than this never wait for their answers at once: where the shop is slower than the rate, they are sent
 * later.
 */
const MAX_UNANSWERED = 100;
/** So far behind its time a purchase may be sent without moving all that follow: timers are not exact. */
const BURST_MS = 100;

/**
 * Sends purchases at their times and each order's payment its own delay after the order was placed, over all nodes. A
 * payment waits for the acknowledgement of its purchase, so that their order holds also where both fall on one instant.
 * Purchases that are sent late take their payments along.
 */
export class Replay {
  private readonly unanswered = new Set<Promise<void>>();
  private failure: unknown = undefined;
  /** How far the replay is behind its plan for good. */
  private heldUpMs = 0;

  constructor(private readonly parts: ReplayParts) {}

  /**
   * Sends everything and returns when all is answered.
   *
   * @throws the first call's error that was given up; then nothing more is sent
   */
  async run({ orders, milestones, timeoutMs }: ReplayPlan): Promise<void> {
    const startMonoMs = performance.now();
    const histories: Promise<void>[] = [];
    for (const order of orders) {
      await this.turnOf(order, startMonoMs);
      if (this.failure !== undefined) break;
      histories.push(this.play(order, timeoutMs));
      for (const { afterPurchases, happen } of milestones) if (afterPurchases === histories.length) happen();
    }
    await Promise.all(histories);
    if (this.failure !== undefined) throw this.failure;
  }

  /**
   * Waits until an order may be sent. Time for which orders were held up is not made up for: the rate is never
   * exceeded.
   */
  private async turnOf({ atMs }: OrderPlan, startMonoMs: number): Promise<void> {
    while (this.unanswered.size >= MAX_UNANSWERED) await Promise.race(this.unanswered);
    const aheadMs = startMonoMs + this.heldUpMs + atMs - performance.now();
    if (aheadMs > 0) await delay(aheadMs);
    else this.heldUpMs += Math.max(0, -aheadMs - BURST_MS);
  }

  /** Purchase and payment of one order. Never rejects. */
  private async play({ orderId, paymentAfterMs }: OrderPlan, timeoutMs: number): Promise<void> {
    let placedAt = 0;
    const purchase = this.guarded(async () => {
      placedAt = (await this.place(orderId, timeoutMs)) - timeoutMs;
    });
    this.unanswered.add(purchase);
    await purchase;
    this.unanswered.delete(purchase);
    if (paymentAfterMs === null || this.failure !== undefined) return;
    await delay(Math.max(0, placedAt + paymentAfterMs - this.parts.dbNow()));
    await this.guarded(() => this.pay(orderId));
  }

  /** @returns when the order is to be cancelled */
  private async place(orderId: string, timeoutMs: number): Promise<number> {
    const cancelAt = await this.parts.calls.place(orderId, timeoutMs);
    this.parts.log.placed(orderId, cancelAt);
    return cancelAt;
  }

  private async pay(orderId: string): Promise<void> {
    const sentAt = this.parts.dbNow();
    const answer = await this.parts.calls.pay(orderId);
    this.parts.log.paymentAnswered(orderId, { sentAt, answeredAt: this.parts.dbNow(), answer });
  }

  private async guarded(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.failure ??= error;
    }
  }
}
