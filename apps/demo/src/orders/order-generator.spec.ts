import { describe, expect, test } from "@jest/globals";
import { generateOrders } from "./order-generator.js";

describe("the generator of orders", () => {
  const orders = generateOrders(20_000, 1);
  const shareWithin = (seconds: number) =>
    orders.filter(({ approvedAfterS }) => approvedAfterS !== null && approvedAfterS < seconds).length / orders.length;

  test("the generator of orders gives the same orders for the same seed, and others for another", () => {
    expect(generateOrders(50, 7)).toEqual(generateOrders(50, 7));
    expect(generateOrders(50, 7)).not.toEqual(generateOrders(50, 8));
  });

  test("the generator of orders gives them the shape of the real orders", () => {
    expect(shareWithin(930)).toBeCloseTo(0.369, 1.7);
    expect(shareWithin(1_800)).toBeCloseTo(0.57, 1.7);
    expect(shareWithin(172_800)).toBeCloseTo(0.944, 1.7);
  });

  test("the generator of orders has orders that are never approved, but few", () => {
    const never = orders.filter(({ approvedAfterS }) => approvedAfterS === null).length;
    expect(never).toBeGreaterThan(0);
    expect(never / orders.length).toBeLessThan(0.01);
  });

  test("the generator of orders has races: approvals in the half minute before the time-out and in the minute after it", () => {
    const at = (seconds: number) => orders.filter(({ approvedAfterS }) => approvedAfterS === seconds).length;
    expect(at(900)).toBeGreaterThan(100);
    expect(at(960)).toBeGreaterThan(100);
  });

  test("the generator of orders gives whole minutes and ids that are all different", () => {
    expect(orders.every(({ approvedAfterS }) => (approvedAfterS ?? 0) % 60 === 0)).toBe(true);
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(orders.length);
  });
});
