import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { Capacity } from "./capacity.js";

describe("Capacity", () => {
  const types = (count: number, limits: Record<number, number> = {}) => ({
    count: () => count,
    limitOf: (typeId: number) => limits[typeId],
  });
  const fill = (capacity: Capacity, typeId: number): number => {
    let taken = 0;
    for (; capacity.isOpen(typeId); taken++) capacity.take(typeId);
    return taken;
  };

  const clock = new ManualClock();
  const newCapacity = (concurrency: number, of: ReturnType<typeof types>): Capacity =>
    new Capacity(concurrency, of, clock);

  test("a type without a limit leaves a tenth of the places to the others", () => {
    const capacity = newCapacity(100, types(2));
    expect([fill(capacity, 1), fill(capacity, 2), capacity.free]).toEqual([90, 10, 0]);
  });

  test("the only type of a node takes all places, a type with a limit no more than that", () => {
    expect(fill(newCapacity(100, types(1)), 1)).toBe(100);
    expect(fill(newCapacity(100, types(2, { 1: 3 })), 1)).toBe(3);
    expect(fill(newCapacity(5, types(2, { 1: 50 })), 1)).toBe(5);
    expect(fill(newCapacity(1, types(2)), 1)).toBe(1);
  });

  test("claims may count on places that are about to be free, starts may not", () => {
    const capacity = newCapacity(10, types(2, { 2: 3 }));
    capacity.prefetch = 5;
    expect([fill(capacity, 1), fill(capacity, 2), capacity.isOpen(1)]).toEqual([14, 1, false]);
    let started = 0;
    for (; capacity.mayStart(1); started++) capacity.start(1);
    expect([started, capacity.mayStart(2)]).toEqual([9, true]);
  });

  test("a type with a limit of its own is not claimed ahead of it", () => {
    const capacity = newCapacity(10, types(2, { 2: 3 }));
    capacity.prefetch = 5;
    expect(fill(capacity, 2)).toBe(3);
  });

  test("it is idle when the last place was given back", async () => {
    const capacity = newCapacity(2, types(1));
    await capacity.whenIdle();
    fill(capacity, 1);
    let isIdle = false;
    const idle = capacity.whenIdle().then(() => (isIdle = true));
    capacity.giveBack(1);
    await Promise.resolve();
    expect([isIdle, capacity.inUse]).toEqual([false, 1]);
    capacity.giveBack(1);
    await idle;
    expect(capacity.isOpen(1)).toBe(true);
  });

  test("counts the time that handlers had places, of those that returned and of those that have not", async () => {
    const capacity = newCapacity(10, types(1));
    fill(capacity, 1);
    capacity.start(1);
    await clock.advance(20);
    capacity.start(1);
    await clock.advance(5);
    capacity.end(1);
    await clock.advance(10);
    expect(capacity.takeTurnover()).toEqual({ ended: 1, placeMs: 40 });
    await clock.advance(1);
    expect(capacity.takeTurnover()).toEqual({ ended: 0, placeMs: 1 });
  });
});
