import { beforeEach, describe, expect, test } from "@jest/globals";
import { Acknowledgements } from "../histories/acknowledgements.js";
import { type OrderPlan, planOrders } from "../orders/replay-plan.js";
import { Replay } from "./replay.js";

/** Calls that are answered by hand. */
class HeldCalls {
  readonly made: string[] = [];
  private readonly answers = new Map<string, (error?: Error) => void>();

  place(orderId: string): Promise<number> {
    return this.held(`purchase ${orderId}`).then(() => 500);
  }

  pay(orderId: string): Promise<"paid"> {
    return this.held(`payment ${orderId}`).then(() => "paid");
  }

  answer(call: string, error?: Error): void {
    this.answers.get(call)!(error);
  }

  async untilMade(count: number): Promise<void> {
    while (this.made.length < count) await new Promise((resolve) => setImmediate(resolve));
  }

  private held(call: string): Promise<void> {
    this.made.push(call);
    return new Promise((resolve, reject) => {
      this.answers.set(call, (error) => (error ? reject(error) : resolve()));
    });
  }
}

describe("the replay", () => {
  let calls: HeldCalls;
  let log: Acknowledgements;
  let replay: Replay;

  beforeEach(() => {
    calls = new HeldCalls();
    log = new Acknowledgements();
    replay = new Replay({ calls, log, dbNow: () => 400 });
  });

  const atOnce = (...orderIds: string[]): OrderPlan[] =>
    planOrders(
      orderIds.map((orderId) => ({ orderId, approvedAfterS: 0 })),
      { rate: 1e9, speed: 60 },
    );

  test("the replay sends an order's payment only when its purchase is acknowledged, and does not hold others up", async () => {
    const run = replay.run({ orders: atOnce("a", "b"), milestones: [], timeoutMs: 100 });
    await calls.untilMade(2);
    expect(calls.made).toEqual(["purchase a", "purchase b"]);
    calls.answer("purchase b");
    await calls.untilMade(3);
    expect(calls.made).toEqual(["purchase a", "purchase b", "payment b"]);
    calls.answer("purchase a");
    await calls.untilMade(4);
    calls.answer("payment a");
    calls.answer("payment b");
    await run;
    expect(log.of("a")).toEqual({ cancelAt: 500, payment: { sentAt: 400, answeredAt: 400, answer: "paid" } });
    expect([log.placedCount, log.paidCount]).toEqual([2, 2]);
  });

  test("the replay reaches each milestone once, when as many purchases are sent as it says", async () => {
    const reached: string[] = [];
    const milestones = [1, 2].map((afterPurchases) => ({
      afterPurchases,
      happen: () => reached.push(`${afterPurchases}: ${calls.made.length}`),
    }));
    const run = replay.run({ orders: atOnce("a", "b"), milestones, timeoutMs: 100 });
    await calls.untilMade(2);
    for (const call of Array.from(calls.made)) calls.answer(call);
    await calls.untilMade(4);
    for (const call of calls.made.slice(2)) calls.answer(call);
    await run;
    expect(reached).toEqual(["1: 1", "2: 2"]);
  });

  test("the replay fails when a call is given up", async () => {
    const run = replay.run({ orders: atOnce("a"), milestones: [], timeoutMs: 100 });
    await calls.untilMade(1);
    calls.answer("purchase a", new Error("no node answered"));
    await expect(run).rejects.toThrow("no node answered");
    expect(() => log.of("a")).toThrow("The purchase of order a was not acknowledged");
  });
});
