import FlatQueue from "flatqueue";
import type { TimerQueue } from "./timer-queue.js";

const CANCELLED = -1;

/**
 * `flatqueue`: the npm package, the fastest of its kind, as careful users build timers with it: what it holds are
 * numbers of entries, and the values lie beside it by that number. Cancel only marks: the entry is skipped when it
 * comes to the top, and to move a timer is to cancel it and to insert another.
 */
export class FlatqueueQueue implements TimerQueue<number> {
  hasMore = false;
  size = 0;
  private readonly queue = new FlatQueue();
  private readonly values: number[] = [];
  private readonly freeEntries: number[] = [];

  insert(deadlineTick: number, value: number): number {
    const entry = this.freeEntries.pop() ?? this.values.length;
    this.values[entry] = value;
    this.queue.push(entry, deadlineTick);
    this.size++;
    return entry;
  }

  cancel(entry: number): void {
    this.values[entry] = CANCELLED;
    this.size--;
  }

  reschedule(entry: number, deadlineTick: number): number {
    const value = this.values[entry]!;
    this.cancel(entry);
    return this.insert(deadlineTick, value);
  }

  /** One step is at most as many pops as `out` is long, those of cancelled entries included. */
  poll(nowTick: number, out: Float64Array): number {
    let written = 0;
    let pops = 0;
    while (pops < out.length && this.topTick() <= nowTick) {
      const entry = this.queue.pop()!;
      const value = this.values[entry]!;
      pops++;
      this.freeEntries.push(entry);
      if (value !== CANCELLED) out[written++] = value;
    }
    this.size -= written;
    this.hasMore = this.topTick() <= nowTick;
    return written;
  }

  nextExpiryTick(): number {
    return this.size > 0 ? this.topTick() : -1;
  }

  private topTick(): number {
    return this.queue.peekValue() ?? Infinity;
  }
}
