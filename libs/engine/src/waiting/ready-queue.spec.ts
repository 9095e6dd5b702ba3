import { describe, expect, test } from "@jest/globals";
import type { TaskHint } from "@tickwheel/core";
import fc from "fast-check";
import { MinHeap } from "./min-heap.js";
import { type FoundTask, foundTask, NEVER } from "./found-task.js";
import { ReadyQueue } from "./ready-queue.js";

const hint = (id: string, dueAt: number, more: Partial<TaskHint> = {}): TaskHint => ({
  id,
  dueAt,
  typeId: 1,
  version: 1,
  priority: 5,
  ...more,
});
const found = (...given: Parameters<typeof hint>) => foundTask(hint(...given), "wheel", 0);
const any = (): boolean => true;

function pop(queue: ReadyQueue, isOpen: (typeId: number) => boolean): FoundTask | undefined {
  const first = queue.peek(isOpen);
  if (first) queue.take(first);
  return first;
}

describe("ReadyQueue", () => {
  test("tasks leave the ready queue by due time, then by priority, across types", () => {
    const queue = new ReadyQueue(10);
    for (const each of [
      hint("d", 20),
      hint("c", 10, { priority: 9 }),
      hint("b", 10, { typeId: 2, priority: 1 }),
      hint("a", 5),
    ])
      queue.push(foundTask(each, "wheel", 0), 0);
    const order = [1, 2, 3, 4, 5].map(() => pop(queue, any)?.id);
    expect(order).toEqual(["a", "b", "c", "d", undefined]);
  });

  test("a closed type in the ready queue delays no other", () => {
    const queue = new ReadyQueue(10);
    queue.push(found("old", 1, { typeId: 1 }), 0);
    queue.push(found("new", 9, { typeId: 2 }), 0);
    expect(pop(queue, (typeId) => typeId === 2)?.id).toBe("new");
    expect(pop(queue, (typeId) => typeId === 2)).toBeUndefined();
    expect(queue.size).toBe(1);
  });

  test("a task leaves the ready queue under the layer that brought it first", () => {
    const queue = new ReadyQueue(10);
    for (const foundBy of ["wheel", "sweep"] as const) queue.push(foundTask(hint("a", 1), foundBy, 0), 0);
    expect(pop(queue, any)?.foundBy).toBe("wheel");
    queue.push(foundTask(hint("a", 1), "full-sweep", 0), 0);
    expect(pop(queue, any)?.foundBy).toBe("full-sweep");
  });

  test("a task in the ready queue knows since when it is ready, and when a claim could first have taken it", () => {
    const queue = new ReadyQueue(10);
    queue.push(found("a", 1), 10);
    queue.offer(20);
    queue.push(found("b", 2), 25);
    queue.offer(30);
    queue.offer(40);
    const a = pop(queue, any)!;
    const b = pop(queue, any)!;
    expect([a.readyMonoMs, a.offeredMonoMs, b.readyMonoMs, b.offeredMonoMs]).toEqual([10, 20, 25, 30]);
    // Its claim has failed: it is as ready as before, and waits for the next claim.
    queue.push(a, 50);
    expect([a.readyMonoMs, a.offeredMonoMs]).toEqual([10, NEVER]);
    queue.offer(60);
    expect(a.offeredMonoMs).toBe(60);
  });

  test("a task is in the ready queue once, and the queue is bounded", () => {
    const queue = new ReadyQueue(2);
    expect([found("a", 1), found("a", 1), found("b", 1), found("c", 1)].map((each) => queue.push(each, 0))).toEqual([
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
