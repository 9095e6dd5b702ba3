import { describe, expect, test } from "@jest/globals";
import { isPaidInTime, scheduleEvents, timeoutMs } from "./event-schedule.js";

const order = (orderId: string, approvedAfterS: number | null) => ({ orderId, approvedAfterS });

describe("the schedule of events", () => {
  test("sends purchases at the rate, and payments after the data's delay divided by the speed", () => {
    expect(scheduleEvents([order("a", 600), order("b", null), order("c", 60)], { rate: 250, speed: 60 })).toEqual([
      { kind: "purchase", orderId: "a", atMs: 0 },
      { kind: "purchase", orderId: "b", atMs: 4 },
      { kind: "purchase", orderId: "c", atMs: 8 },
      { kind: "payment", orderId: "c", atMs: 1_008 },
      { kind: "payment", orderId: "a", atMs: 10_000 },
    ]);
  });

  test("keeps an order's purchase before its payment when both fall on one instant", () => {
    const events = scheduleEvents([order("a", 0), order("b", 0)], { rate: 1e12, speed: 60 });
    for (const id of ["a", "b"])
      expect(events.filter(({ orderId }) => orderId === id).map(({ kind }) => kind)).toEqual(["purchase", "payment"]);
  });

  test("sends late payments up to 1,200 s and none after", () => {
    const events = scheduleEvents([order("a", 1_200), order("b", 1_260)], { rate: 1, speed: 60 });
    expect(events.filter(({ kind }) => kind === "payment").map(({ orderId }) => orderId)).toEqual(["a"]);
  });

  test("cancels an order 15.5 s after its purchase at speed 60", () => {
    expect(timeoutMs({ speed: 60 })).toBe(15_500);
  });

  test("takes an approval before 930 s as in time", () => {
    expect([order("a", 900), order("b", 960), order("c", null)].map(isPaidInTime)).toEqual([true, false, false]);
  });
});
