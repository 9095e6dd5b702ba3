import { describe, expect, test } from "@jest/globals";
import { SeededRandom } from "./seeded-random.js";
import { type HeapTimer, TimerHeap } from "./timer-heap.js";

const nothing = (): void => undefined;

function drain(heap: TimerHeap): HeapTimer[] {
  const drained: HeapTimer[] = [];
  for (let timer = heap.pop(); timer !== null; timer = heap.pop()) drained.push(timer);
  return drained;
}

/** The order in which ten timers of one instant leave. */
function orderOf(seed: number): number[] {
  const heap = new TimerHeap(new SeededRandom(seed));
  for (let count = 0; count < 10; count++) heap.add(5, nothing);
  return drain(heap).map(({ order }) => order);
}

describe("TimerHeap", () => {
  test("TimerHeap gives the order of a sorted list, whatever is added and removed in between", () => {
    const random = new SeededRandom(11);
    const heap = new TimerHeap();
    let list: HeapTimer[] = [];
    for (let step = 0; step < 5_000; step++) {
      const chance = random.next();
      if (chance < 0.5) list.push(heap.add(Math.floor(random.next() * 200), nothing));
      else if (chance < 0.75 && list.length > 0) {
        const [gone] = list.splice(Math.floor(random.next() * list.length), 1);
        expect(heap.remove(gone!)).toBe(true);
        expect(heap.remove(gone!)).toBe(false);
      } else {
        list = list.sort((one, other) => one.atMs - other.atMs || one.order - other.order);
        expect(heap.pop()).toBe(list.shift() ?? null);
      }
      expect(heap.size).toBe(list.length);
    }
    expect(drain(heap)).toEqual(list.sort((one, other) => one.atMs - other.atMs || one.order - other.order));
  });

  test("TimerHeap draws the order of the timers of one instant from its seed", () => {
    expect(orderOf(1)).toEqual(orderOf(1));
    expect(orderOf(1)).not.toEqual(orderOf(2));
    expect(orderOf(1).toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("a timer is no longer in a heap that was emptied", () => {
    const heap = new TimerHeap();
    const timer = heap.add(1, nothing);
    heap.empty();
    expect([heap.size, heap.peek(), heap.remove(timer)]).toEqual([0, null, false]);
  });
});
