import { setTimeout as delay } from "node:timers/promises";
import type { Acknowledgements } from "./acknowledgements.js";
import type { ReplayEvent } from "./event-schedule.js";
import type { OrderCalls } from "./order-calls.js";

/** Something that happens when so many purchases have been sent. */
export interface Milestone {
  afterPurchases: number;
  happen: () => void;
}

export interface ReplayPlan {
  events: readonly ReplayEvent[];
  milestones: readonly Milestone[];
  timeoutMs: number;
}

interface ReplayParts {
  calls: Pick<OrderCalls, "place" | "pay">;
  log: Acknowledgements;
  /** Epoch milliseconds of the database's clock. */
  dbNow: () => number;
}

/** More calls than this are never under way at once: the replay then falls behind its schedule. */
const MAX_IN_FLIGHT = 500;

/**
 * Sends purchases and payments at their times, over all nodes. An order's payment waits for the acknowledgement of its purchase, so that
 * their order holds also where both fall on one instant.
 */
export class Replay {
  private readonly purchases = new Map<string, Promise<void>>();
  private readonly inFlight = new Set<Promise<void>>();
  private failure: unknown = undefined;

  constructor(private readonly parts: ReplayParts) {}

  /**
   * Sends everything and returns when all is answered.
   *
   * @throws the first call's error that was given up; then nothing more is sent
   */
  async run(plan: ReplayPlan): Promise<void> {
    const startMonoMs = performance.now();
    let sent = 0;
    for (const event of plan.events) {
      await this.turnOf(event, startMonoMs);
      if (this.failure !== undefined) break;
      this.send(event, plan.timeoutMs);
      if (event.kind !== "purchase") continue;
      sent += 1;
      for (const { afterPurchases, happen } of plan.milestones) if (afterPurchases === sent) happen();
    }
    await Promise.all(this.inFlight);
    if (this.failure !== undefined) throw this.failure;
  }

  private async turnOf({ atMs }: ReplayEvent, startMonoMs: number): Promise<void> {
    const aheadMs = startMonoMs + atMs - performance.now();
    if (aheadMs > 0) await delay(aheadMs);
    while (this.inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.inFlight);
  }

  private send({ kind, orderId }: ReplayEvent, timeoutMs: number): void {
    const call = kind === "purchase" ? this.place(orderId, timeoutMs) : this.pay(orderId);
    if (kind === "purchase") this.purchases.set(orderId, call);
    const settled: Promise<void> = call
      .catch((error: unknown) => {
        this.failure ??= error;
      })
      .finally(() => this.inFlight.delete(settled));
    this.inFlight.add(settled);
  }

  private async place(orderId: string, timeoutMs: number): Promise<void> {
    this.parts.log.placed(orderId, await this.parts.calls.place(orderId, timeoutMs));
  }

  private async pay(orderId: string): Promise<void> {
    await this.purchases.get(orderId);
    const sentAt = this.parts.dbNow();
    const answer = await this.parts.calls.pay(orderId);
    this.parts.log.paymentAnswered(orderId, { sentAt, answeredAt: this.parts.dbNow(), answer });
    this.purchases.delete(orderId);
  }
}
