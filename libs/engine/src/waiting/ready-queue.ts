import type { Finder, TaskHint, TypeId } from "@tickwheel/core";
import { ShrinkingMap } from "../held/shrinking-map.js";
import { QueueByType } from "./queue-by-type.js";

/**
 * Tasks that are due and wait to be claimed, in the order of their turn, separate for each type. A task is in it once,
 * under the layer that brought it first. Bounded by `capacity`; a sweep finds the rest again.
 */
export class ReadyQueue {
  private readonly hints = new QueueByType<TaskHint>((hint) => hint);
  private readonly finders = new ShrinkingMap<string, Finder>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.finders.size;
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  sizeOf(typeId: TypeId): number {
    return this.hints.sizeOf(typeId);
  }

  /** False: there is no room. */
  push(hint: TaskHint, foundBy: Finder): boolean {
    if (this.finders.has(hint.id)) return true;
    if (this.isFull) return false;
    this.hints.push(hint);
    this.finders.set(hint.id, foundBy);
    return true;
  }

  /** The first task of those types that `isOpen` lets through; it stays. */
  peek(isOpen: (typeId: TypeId) => boolean): TaskHint | undefined {
    return this.hints.peek(isOpen);
  }

  /** Takes out what `peek` has just given. */
  take(first: TaskHint): Finder {
    this.hints.take(first);
    const foundBy = this.finders.get(first.id)!;
    this.finders.delete(first.id);
    return foundBy;
  }

  /** A copy of everything, in no order. */
  all(): TaskHint[] {
    return this.hints.all();
  }

  clear(): void {
    this.hints.clear();
    this.finders.clear();
  }
}
