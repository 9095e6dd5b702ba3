import { describe, expect, test } from "@jest/globals";
import { Cascade } from "./cascade.js";
import { SlotLevels } from "./slot-levels.js";
import { TimerRecords } from "./timer-records.js";

/** Levels of 64 slots: a slot of level 1 is 64 ticks wide and has stripes of eight ticks. */
function scene() {
  const levels = new SlotLevels(6, 2);
  levels.standAt(0);
  const parkedList = levels.stripeCount;
  const firstList = parkedList + 1;
  const records = new TimerRecords(10_000, { listCount: firstList + levels.stripesPerSlot });
  const cascade = new Cascade(records, levels, firstList);
  const put = (tick: number): number => {
    const record = records.allocate();
    records.setDeadlineTick(record, tick);
    const stripe = levels.stripeOf(tick);
    levels.occupy(stripe);
    records.append(stripe, record);
    return record;
  };
  const parked = (tick: number): void => {
    const record = records.allocate();
    records.setDeadlineTick(record, tick);
    records.append(parkedList, record);
  };
  const take = (atMost = Infinity): number[] => {
    const ticks: number[] = [];
    while (ticks.length < atMost) {
      const record = cascade.first();
      if (record < 0) break;
      cascade.dropFirst();
      ticks.push(records.deadlineTick(record));
    }
    return ticks;
  };
  const join = (tick: number): void => {
    const record = records.allocate();
    records.setDeadlineTick(record, tick);
    cascade.append(record, tick);
  };
  return { levels, records, cascade, parkedList, put, parked, take, join };
}

describe("a cascade", () => {
  test("a cascade is closed at first, and once it has given all of the slot", () => {
    const { levels, cascade, put, take } = scene();
    expect([cascade.isOpen, cascade.first()]).toEqual([false, -1]);
    for (const tick of [127, 64, 100]) put(tick);
    cascade.open(levels.slotOf(levels.stripeOf(64)), 64);
    expect([cascade.isOpen, cascade.endTick, levels.firstOccupied()]).toEqual([true, 128, -1]);
    expect(take()).toEqual([64, 100, 127]);
    expect([cascade.isOpen, cascade.first()]).toEqual([false, -1]);
  });

  test("a cascade leaves the other slots alone", () => {
    const { levels, cascade, put, take } = scene();
    for (const tick of [128, 191, 192]) put(tick);
    cascade.open(levels.slotOf(levels.stripeOf(128)), 128);
    expect(take()).toEqual([128, 191]);
    expect(levels.startTickOf(levels.firstOccupied())).toBe(192);
  });

  test("a cascade gives the timers of a stripe in their order, however many there are", () => {
    const { levels, records, cascade, put } = scene();
    const stripes = [0, 1].map((stripe) => Array.from({ length: 1_000 }, () => put(64 + 8 * stripe)));
    cascade.open(levels.slotOf(levels.stripeOf(64)), 64);
    const given: number[] = [];
    for (let record = cascade.first(); record >= 0; record = cascade.first()) {
      cascade.dropFirst();
      given.push(record);
    }
    for (const [stripe, expected] of stripes.entries()) {
      expect(given.filter((record) => records.deadlineTick(record) === 64 + 8 * stripe)).toEqual(expected);
    }
    expect(given).toHaveLength(2_000);
  });

  test("a timer that joins an open cascade comes after its elders of the same stripe, in an emptied stripe too", () => {
    const { levels, cascade, put, take, join } = scene();
    for (const tick of [64, 65, 80]) put(tick);
    cascade.open(levels.slotOf(levels.stripeOf(64)), 64);
    expect(take(1)).toEqual([64]);
    for (const tick of [66, 127]) join(tick);
    const rest = take();
    expect(rest.filter((tick) => tick < 72)).toEqual([65, 66]);
    expect(rest.toSorted((a, b) => a - b)).toEqual([65, 66, 80, 127]);
  });

  test("a cascade closes though all that was left in it was cancelled", () => {
    const { levels, records, cascade, put } = scene();
    const first = put(64);
    const second = put(80);
    cascade.open(levels.slotOf(levels.stripeOf(64)), 64);
    expect(cascade.first()).toBe(first);
    for (const record of [first, second]) records.unlink(record);
    expect([cascade.first(), cascade.isOpen]).toEqual([-1, false]);
  });

  test("a cascade of parked timers has one stripe and no end, so all keep their order", () => {
    const { cascade, parkedList, parked, take, join } = scene();
    for (const tick of [9_000, 5_000]) parked(tick);
    cascade.openList(parkedList, 4_096);
    expect(cascade.endTick).toBe(Infinity);
    join(7_000);
    expect(take()).toEqual([9_000, 5_000, 7_000]);
    expect(cascade.isOpen).toBe(false);
  });
});
