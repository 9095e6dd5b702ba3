import type { Finder, TaskHint, TypeId } from "@tickwheel/core";
import { MinHeap } from "./min-heap.js";

/**
 * Tasks that are due and wait for a place to run, ordered by (due, priority), apart for each type, so that a type whose places are
 * taken holds up nobody else. A task is in it once, under the layer that brought it first. Bounded by `capacity`; what finds no room is found again by a sweep.
 */
export class ReadyQueue {
  private readonly heaps = new Map<TypeId, MinHeap<TaskHint>>();
  private readonly finders = new Map<string, Finder>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.finders.size;
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  sizeOf(typeId: TypeId): number {
    return this.heaps.get(typeId)?.size ?? 0;
  }

  /** False: there is no room. */
  push(hint: TaskHint, foundBy: Finder): boolean {
    if (this.finders.has(hint.id)) return true;
    if (this.isFull) return false;
    let heap = this.heaps.get(hint.typeId);
    if (!heap) this.heaps.set(hint.typeId, (heap = new MinHeap(comesFirst)));
    heap.push(hint);
    this.finders.set(hint.id, foundBy);
    return true;
  }

  /** The first task of those types that `isOpen` lets through; it stays. Cost: one look per type. */
  peek(isOpen: (typeId: TypeId) => boolean): TaskHint | undefined {
    let first: TaskHint | undefined;
    for (const [typeId, heap] of this.heaps) {
      const head = heap.peek();
      if (head && (!first || comesFirst(head, first)) && isOpen(typeId)) first = head;
    }
    return first;
  }

  /** Takes out what `peek` has just given. */
  take(first: TaskHint): Finder {
    this.heaps.get(first.typeId)!.pop();
    const foundBy = this.finders.get(first.id)!;
    this.finders.delete(first.id);
    return foundBy;
  }

  /** A copy of everything, in no order. */
  all(): TaskHint[] {
    return [...this.heaps.values()].flatMap((heap) => heap.all());
  }

  clear(): void {
    this.heaps.clear();
    this.finders.clear();
  }
}

function comesFirst(a: TaskHint, b: TaskHint): boolean {
  return a.dueAt === b.dueAt ? a.priority < b.priority : a.dueAt < b.dueAt;
}
