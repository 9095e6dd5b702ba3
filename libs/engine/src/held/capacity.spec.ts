import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { servedTypes } from "../../test-support/served-types.js";
import { Capacity } from "./capacity.js";

describe("Capacity", () => {
  const types = (count: number, limits?: Record<number, number>) => servedTypes(limits, { types: count });
  const fill = (capacity: Capacity, typeId: number): number => {
    let taken = 0;
    for (; capacity.isOpen(typeId); taken++) capacity.take(typeId);
    return taken;
  };

  const clock = new ManualClock();
  const newCapacity = (concurrency: number, of: ReturnType<typeof servedTypes>): Capacity =>
    new Capacity(concurrency, of, clock);

  test("a type without a limit leaves a tenth of the places to the others", () => {
    const capacity = newCapacity(100, types(2));
    expect([fill(capacity, 1), fill(capacity, 2), capacity.free]).toEqual([90, 10, 0]);
  });

  test("the only type of a node takes all places, but a limit of its own still holds", () => {
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

  test("a type with a limit of its own is not claimed ahead", () => {
    const capacity = newCapacity(10, types(2, { 2: 3 }));
    capacity.prefetch = 5;
    expect(fill(capacity, 2)).toBe(3);
  });

  describe("with several namespaces", () => {
    const own = 10;
    const sibling = 11;
    const limited = 12;
    const foreign = 20;
    const shared = () => newCapacity(100, servedTypes({ [limited]: 100 }, { types: 4, namespaces: 2 }));

    test("the types of one namespace leave a fifth of the places to the others", () => {
      const capacity = shared();
      expect([fill(capacity, own), fill(capacity, sibling), fill(capacity, limited)]).toEqual([80, 0, 0]);
      expect([fill(capacity, foreign), capacity.free]).toEqual([16, 4]);
    });

    test("the next namespace finds a place, however many others take all that they may", () => {
      const third = 30;
      const capacity = newCapacity(100, servedTypes({}, { types: 4, namespaces: 4 }));
      expect([fill(capacity, own), fill(capacity, foreign), fill(capacity, third)]).toEqual([80, 16, 3]);
      expect([fill(capacity, 40), fill(capacity, 50)]).toEqual([1, 0]);
    });

    test("a type's own limit does not exceed what its namespace may take", () => {
      expect(fill(shared(), limited)).toBe(80);
      expect(fill(newCapacity(1, servedTypes({}, { types: 2, namespaces: 2 })), own)).toBe(1);
    });

    test("starts are bounded like claims, and a place that is given back or ended is free again", () => {
      const capacity = shared();
      fill(capacity, own);
      for (let started = 0; started < 80; started++) capacity.start(own);
      expect([capacity.mayStart(sibling), capacity.mayStart(foreign)]).toEqual([false, true]);
      capacity.end(own);
      expect([capacity.mayStart(sibling), fill(capacity, sibling)]).toEqual([true, 1]);
      capacity.giveBack(sibling);
      expect(fill(capacity, limited)).toBe(1);
    });

    test("places taken while there was one namespace count only once there are more", () => {
      const counts = { types: 2, namespaces: 1 };
      const capacity = newCapacity(100, servedTypes({ [limited]: 100 }, counts));
      expect(fill(capacity, limited)).toBe(100);
      counts.namespaces = 2;
      for (let ended = 0; ended < 20; ended++) capacity.giveBack(limited);
      expect([capacity.isOpen(limited), capacity.isOpen(foreign)]).toEqual([false, true]);
    });

    test("a type that is forgotten while its task runs still gives its place back to its namespace", () => {
      const names = new Map([[own, "a"]]);
      const served = { ...servedTypes({}, { namespaces: 2 }), namespaceOf: (typeId: number) => names.get(typeId) };
      const capacity = newCapacity(5, served);
      expect(fill(capacity, own)).toBe(4);
      names.clear();
      for (let ended = 0; ended < 4; ended++) capacity.giveBack(own);
      names.set(own, "a");
      expect(fill(capacity, own)).toBe(4);
    });
  });

  test("a node's capacity is idle when the last place is given back", async () => {
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

  test("a node's capacity measures how long handlers held places, both those that returned and those that still run", async () => {
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
