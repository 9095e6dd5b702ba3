import { describe, expect, test } from "@jest/globals";
import { isPaidInTime, planOrders, timeoutMs } from "./replay-plan.js";

const order = (orderId: string, approvedAfterS: number | null) => ({ orderId, approvedAfterS });

describe("the plan of a replay", () => {
  test("a replay's plan sends purchases at the rate, and payments after the data's delay divided by the speed", () => {
    expect(planOrders([order("a", 600), order("b", null), order("c", 0)], { rate: 250, speed: 60 })).toEqual([
      { orderId: "a", atMs: 0, paymentAfterMs: 10_000 },
      { orderId: "b", atMs: 4, paymentAfterMs: null },
      { orderId: "c", atMs: 8, paymentAfterMs: 0 },
    ]);
  });

  test("a replay's plan sends late payments up to 1,200 s and none after", () => {
    const plans = planOrders([order("a", 1_200), order("b", 1_260)], { rate: 1, speed: 60 });
    expect(plans.map(({ paymentAfterMs }) => paymentAfterMs)).toEqual([20_000, null]);
  });

  test("a replay's plan cancels an order 15.5 s after its purchase at speed 60", () => {
    expect(timeoutMs({ speed: 60 })).toBe(15_500);
  });

  test("a replay's plan takes an approval before 930 s as in time", () => {
    expect([order("a", 900), order("b", 960), order("c", null)].map(isPaidInTime)).toEqual([true, false, false]);
  });
});
