import { describe, expect, test } from "@jest/globals";
import type { TaskHint } from "@tickwheel/core";
import fc from "fast-check";
import { MinHeap } from "./min-heap.js";
import { ReadyQueue } from "./ready-queue.js";

const hint = (id: string, dueAt: number, more: Partial<TaskHint> = {}): TaskHint => ({
  id,
  dueAt,
  typeId: 1,
  version: 1,
  priority: 5,
  ...more,
});
const any = (): boolean => true;

function pop(queue: ReadyQueue, isOpen: (typeId: number) => boolean): string | undefined {
  const first = queue.peek(isOpen);
  if (first) queue.take(first);
  return first?.id;
}

describe("ReadyQueue", () => {
  test("tasks leave by due time, then by priority, across types", () => {
    const queue = new ReadyQueue(10);
    for (const each of [
      hint("d", 20),
      hint("c", 10, { priority: 9 }),
      hint("b", 10, { typeId: 2, priority: 1 }),
      hint("a", 5),
    ])
      queue.push(each, "wheel");
    const order = [1, 2, 3, 4, 5].map(() => pop(queue, any));
    expect(order).toEqual(["a", "b", "c", "d", undefined]);
  });

  test("a closed type delays no other", () => {
    const queue = new ReadyQueue(10);
    queue.push(hint("old", 1, { typeId: 1 }), "wheel");
    queue.push(hint("new", 9, { typeId: 2 }), "wheel");
    expect(pop(queue, (typeId) => typeId === 2)).toBe("new");
    expect(pop(queue, (typeId) => typeId === 2)).toBeUndefined();
    expect(queue.size).toBe(1);
  });

  test("a task leaves under the layer that brought it first", () => {
    const queue = new ReadyQueue(10);
    const known = hint("a", 1);
    queue.push(known, "wheel");
    queue.push(hint("a", 1), "sweep");
    expect(queue.take(known)).toBe("wheel");
    queue.push(known, "guard");
    expect(queue.take(known)).toBe("guard");
  });

  test("a task is in it once, and it is bounded", () => {
    const queue = new ReadyQueue(2);
    expect([hint("a", 1), hint("a", 1), hint("b", 1), hint("c", 1)].map((each) => queue.push(each, "wheel"))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([queue.size, queue.isFull]).toEqual([2, true]);
  });
});

test("a heap gives everything back in order, whatever was pushed and popped", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { freq: 3 })), (moves) => {
      const heap = new MinHeap<number>((a, b) => a < b);
      let model: number[] = [];
      for (const move of moves) {
        if (move !== null) {
          heap.push(move);
          model = [...model, move].toSorted((a, b) => a - b);
        } else expect(heap.pop()).toBe(model.shift());
        expect([heap.size, heap.peek()]).toEqual([model.length, model[0]]);
      }
    }),
  );
});
