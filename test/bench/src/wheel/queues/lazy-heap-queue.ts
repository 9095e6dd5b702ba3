import type { TimerQueue } from "./timer-queue.js";

/** The result of `pop` for a cancelled entry. */
export const CANCELLED = -1;

/**
 * A heap that finds no entry but its first, as users build timers with one. Cancel only marks: the entry is skipped
 * when it comes to the top, and to move a timer is to cancel it and to insert another.
 */
export abstract class LazyHeapQueue<Entry> implements TimerQueue<Entry> {
  hasMore = false;
  size = 0;

  insert(deadlineTick: number, value: number): Entry {
    this.size++;
    return this.push(deadlineTick, value);
  }

  cancel(entry: Entry): void {
    this.mark(entry);
    this.size--;
  }

  reschedule(entry: Entry, deadlineTick: number): Entry {
    const value = this.valueOf(entry);
    this.cancel(entry);
    return this.insert(deadlineTick, value);
  }

  /** One step is at most as many pops as `out` is long, those of cancelled entries included. */
  poll(nowTick: number, out: Float64Array): number {
    let written = 0;
    for (let pops = 0; pops < out.length && this.topTick() <= nowTick; pops++) {
      const value = this.pop();
      if (value !== CANCELLED) out[written++] = value;
    }
    this.size -= written;
    this.hasMore = this.topTick() <= nowTick;
    return written;
  }

  nextExpiryTick(): number {
    return this.size > 0 ? this.topTick() : -1;
  }

  protected abstract push(deadlineTick: number, value: number): Entry;
  protected abstract mark(entry: Entry): void;
  protected abstract valueOf(entry: Entry): number;
  /** Takes the first entry out. @returns its value, or CANCELLED */
  protected abstract pop(): number;
  /** Infinity: the heap is empty. */
  protected abstract topTick(): number;
}
