import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type OrderWithinTick, OverdueHeap } from "./overdue-heap.js";
import { TimerRecords } from "./timer-records.js";

interface Timer {
  tick: number;
  priority: number;
  removed: boolean;
}

function heapOf(timers: Timer[], orderWithinTick: OrderWithinTick) {
  const records = new TimerRecords(100, { listCount: 0 });
  const heap = new OverdueHeap(records, orderWithinTick);
  for (const { tick, priority } of timers) {
    const record = records.allocate();
    records.setDeadlineTick(record, tick);
    records.setPriority(record, priority);
    heap.push(record);
  }
  return heap;
}

function drain(heap: OverdueHeap): number[] {
  const drained: number[] = [];
  while (heap.earliestTick() < Infinity) {
    drained.push(heap.first());
    heap.remove(heap.first());
  }
  return drained;
}

const anyTimers = fc.array(
  fc.record({ tick: fc.integer({ min: -20, max: 20 }), priority: fc.nat({ max: 2 }), removed: fc.boolean() }),
  { maxLength: 100, size: "max" },
);

describe("OverdueHeap", () => {
  test.each(["insertion", "priority"] as const)(
    "timers that are left in OverdueHeap after removals leave it in order of tick, then %s",
    (order) => {
      fc.assert(
        fc.property(anyTimers, (timers) => {
          const heap = heapOf(timers, order);
          timers.forEach((timer, record) => timer.removed && heap.remove(record));
          const expected = timers
            .map((timer, record) => ({ ...timer, record }))
            .filter((timer) => !timer.removed)
            .sort(
              (a, b) => a.tick - b.tick || (order === "priority" ? a.priority - b.priority : 0) || a.record - b.record,
            );
          expect(drain(heap)).toEqual(expected.map((timer) => timer.record));
        }),
      );
    },
  );

  test("OverdueHeap knows which records it holds", () => {
    const heap = heapOf([{ tick: 1, priority: 5, removed: false }], "insertion");
    expect(heap.holds(0)).toBe(true);
    heap.remove(0);
    expect(heap.holds(0)).toBe(false);
    expect(heap.earliestTick()).toBe(Infinity);
  });
});
