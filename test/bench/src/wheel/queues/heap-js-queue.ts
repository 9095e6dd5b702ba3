import { Heap } from "heap-js";
import { CANCELLED, LazyHeapQueue } from "./lazy-heap-queue.js";

/** A timer as users of such a heap keep it. */
export interface HeapEntry {
  readonly tick: number;
  readonly value: number;
  isCancelled: boolean;
}

/** `heap-js`: the npm package with a comparator, as its users build timers with it. */
export class HeapJsQueue extends LazyHeapQueue<HeapEntry> {
  private readonly heap = new Heap<HeapEntry>((a, b) => a.tick - b.tick);

  protected push(deadlineTick: number, value: number): HeapEntry {
    const entry = { tick: deadlineTick, value, isCancelled: false };
    this.heap.push(entry);
    return entry;
  }

  protected mark(entry: HeapEntry): void {
    entry.isCancelled = true;
  }

  protected valueOf(entry: HeapEntry): number {
    return entry.value;
  }

  protected pop(): number {
    const { value, isCancelled } = this.heap.pop()!;
    return isCancelled ? CANCELLED : value;
  }

  protected topTick(): number {
    return this.heap.peek()?.tick ?? Infinity;
  }
}
