import { Heap } from "heap-js";
import type { TimerQueue } from "./timer-queue.js";

/** A timer as users of such a heap keep it. */
export interface HeapEntry {
  readonly tick: number;
  readonly value: number;
  isCancelled: boolean;
}

/**
 * `heap-js`: the npm package with a comparator, as its users build timers with it. Cancel only marks: the entry is
 * skipped when it comes to the top, and to move a timer is to cancel it and to insert another.
 */
export class HeapJsQueue implements TimerQueue<HeapEntry> {
  hasMore = false;
  size = 0;
  private readonly heap = new Heap<HeapEntry>((a, b) => a.tick - b.tick);

  insert(deadlineTick: number, value: number): HeapEntry {
    const entry = { tick: deadlineTick, value, isCancelled: false };
    this.heap.push(entry);
    this.size++;
    return entry;
  }

  cancel(entry: HeapEntry): void {
    entry.isCancelled = true;
    this.size--;
  }

  reschedule(entry: HeapEntry, deadlineTick: number): HeapEntry {
    this.cancel(entry);
    return this.insert(deadlineTick, entry.value);
  }

  /** One step is at most as many pops as `out` is long, those of cancelled entries included. */
  poll(nowTick: number, out: Float64Array): number {
    let written = 0;
    let pops = 0;
    while (pops < out.length && this.topTick() <= nowTick) {
      const entry = this.heap.pop()!;
      pops++;
      if (!entry.isCancelled) out[written++] = entry.value;
    }
    this.size -= written;
    this.hasMore = this.topTick() <= nowTick;
    return written;
  }

  nextExpiryTick(): number {
    return this.size > 0 ? this.topTick() : -1;
  }

  private topTick(): number {
    return this.heap.peek()?.tick ?? Infinity;
  }
}
