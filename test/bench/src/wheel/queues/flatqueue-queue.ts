import FlatQueue from "flatqueue";
import { CANCELLED, LazyHeapQueue } from "./lazy-heap-queue.js";

/**
 * `flatqueue`: the npm package, the fastest of its kind, as careful users build timers with it: what it holds are
 * numbers of entries, and the values lie beside it by that number.
 */
export class FlatqueueQueue extends LazyHeapQueue<number> {
  private readonly queue = new FlatQueue();
  private readonly values: number[] = [];
  private readonly freeEntries: number[] = [];

  protected push(deadlineTick: number, value: number): number {
    const entry = this.freeEntries.pop() ?? this.values.length;
    this.values[entry] = value;
    this.queue.push(entry, deadlineTick);
    return entry;
  }

  protected mark(entry: number): void {
    this.values[entry] = CANCELLED;
  }

  protected valueOf(entry: number): number {
    return this.values[entry]!;
  }

  protected pop(): number {
    const entry = this.queue.pop()!;
    this.freeEntries.push(entry);
    return this.values[entry]!;
  }

  protected topTick(): number {
    return this.queue.peekValue() ?? Infinity;
  }
}
