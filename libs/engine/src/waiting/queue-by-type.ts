import type { TypeId } from "@tickwheel/core";
import { MinHeap } from "./min-heap.js";

/** What decides whose turn it is. */
export interface Rank {
  typeId: TypeId;
  dueAt: number;
  priority: number;
}

/** By (due, priority): the order in which tasks are claimed and started. */
export function comesFirst(one: Rank, other: Rank): boolean {
  return one.dueAt === other.dueAt ? one.priority < other.priority : one.dueAt < other.dueAt;
}

/**
 * Items in the order of (due, priority), separate for each type, so that a type without free places delays no other.
 */
export class QueueByType<Item> {
  private readonly heaps = new Map<TypeId, MinHeap<Item>>();

  constructor(private readonly turnOf: (item: Item) => Rank) {}

  sizeOf(typeId: TypeId): number {
    return this.heaps.get(typeId)?.size ?? 0;
  }

  push(item: Item): void {
    const { typeId } = this.turnOf(item);
    let heap = this.heaps.get(typeId);
    if (!heap) {
      heap = new MinHeap((one, other) => comesFirst(this.turnOf(one), this.turnOf(other)));
      this.heaps.set(typeId, heap);
    }
    heap.push(item);
  }

  /** The first item of those types that `isOpen` lets through; it stays. Cost: one look per type. */
  peek(isOpen: (typeId: TypeId) => boolean): Item | undefined {
    let first: Item | undefined;
    for (const [typeId, heap] of this.heaps) {
      const head = heap.peek();
      if (head === undefined) continue;
      const isFirst = first === undefined || comesFirst(this.turnOf(head), this.turnOf(first));
      if (isFirst && isOpen(typeId)) first = head;
    }
    return first;
  }

  /** Takes out what `peek` has just given. */
  take(first: Item): void {
    this.heaps.get(this.turnOf(first).typeId)!.pop();
  }

  /** Takes out all items of those types. */
  drop(isDropped: (typeId: TypeId) => boolean): Item[] {
    const dropped: Item[] = [];
    for (const [typeId, heap] of this.heaps) {
      if (!isDropped(typeId)) continue;
      this.heaps.delete(typeId);
      dropped.push(...heap.all());
    }
    return dropped;
  }

  /** A copy of everything, in no order. */
  all(): Item[] {
    return [...this.heaps.values()].flatMap((heap) => heap.all());
  }

  clear(): void {
    this.heaps.clear();
  }
}
