import type { TaskHint, TypeId } from "@tickwheel/core";
import { MinHeap } from "./min-heap.js";

/**
 * Tasks that are due and wait for a place to run, ordered by (due, priority), apart for each type, so that a type whose places are
 * taken holds up nobody else. A task is in it once. Bounded by `capacity`; what finds no room is found again by a sweep.
 */
export class ReadyQueue {
  private readonly heaps = new Map<TypeId, MinHeap<TaskHint>>();
  private readonly ids = new Set<string>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.ids.size;
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  sizeOf(typeId: TypeId): number {
    return this.heaps.get(typeId)?.size ?? 0;
  }

  /** False: there is no room. */
  push(hint: TaskHint): boolean {
    if (this.ids.has(hint.id)) return true;
    if (this.isFull) return false;
    let heap = this.heaps.get(hint.typeId);
    if (!heap) this.heaps.set(hint.typeId, (heap = new MinHeap(comesFirst)));
    heap.push(hint);
    this.ids.add(hint.id);
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

  /** As `peek`, and takes it out. */
  pop(isOpen: (typeId: TypeId) => boolean): TaskHint | undefined {
    const first = this.peek(isOpen);
    if (!first) return undefined;
    this.heaps.get(first.typeId)!.pop();
    this.ids.delete(first.id);
    return first;
  }

  clear(): void {
    this.heaps.clear();
    this.ids.clear();
  }
}

function comesFirst(a: TaskHint, b: TaskHint): boolean {
  return a.dueAt === b.dueAt ? a.priority < b.priority : a.dueAt < b.dueAt;
}
