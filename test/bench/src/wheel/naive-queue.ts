import type { TimerQueue } from "./timer-queue.js";

/** A timer in the list of its tick, at `index`. */
export interface ListedTimer {
  tick: number;
  readonly value: number;
  index: number;
}

/**
 * `naive`: a Map from tick to the list of its timers. Everything is O(1), but it cannot look ahead: a poll asks for
 * every tick that passed. Within a tick the order is any.
 */
export class NaiveQueue implements TimerQueue<ListedTimer> {
  hasMore = false;
  size = 0;
  private readonly lists = new Map<number, ListedTimer[]>();
  /** Ticks up to this one are handed out. */
  private reachedTick = 0;

  insert(deadlineTick: number, value: number): ListedTimer {
    const timer = { tick: deadlineTick, value, index: 0 };
    this.append(timer);
    this.size++;
    return timer;
  }

  cancel(timer: ListedTimer): void {
    this.takeOut(timer);
    this.size--;
  }

  reschedule(timer: ListedTimer, deadlineTick: number): ListedTimer {
    this.takeOut(timer);
    timer.tick = deadlineTick;
    this.append(timer);
    return timer;
  }

  poll(nowTick: number, out: Float64Array): number {
    let written = 0;
    while (this.reachedTick < nowTick && written < out.length) {
      const list = this.lists.get(this.reachedTick + 1);
      while (list && list.length > 0 && written < out.length) out[written++] = list.pop()!.value;
      if (list && list.length > 0) break;
      this.reachedTick++;
      if (list) this.lists.delete(this.reachedTick);
    }
    this.size -= written;
    this.hasMore = this.reachedTick < nowTick;
    return written;
  }

  nextExpiryTick(): number {
    return this.size > 0 ? this.reachedTick + 1 : -1;
  }

  private append(timer: ListedTimer): void {
    const list = this.lists.get(timer.tick);
    timer.index = list?.length ?? 0;
    if (list) list.push(timer);
    else this.lists.set(timer.tick, [timer]);
  }

  /** The last one of the list takes the place. */
  private takeOut(timer: ListedTimer): void {
    const list = this.lists.get(timer.tick)!;
    const last = list.pop()!;
    if (last !== timer) {
      list[timer.index] = last;
      last.index = timer.index;
    } else if (list.length === 0) this.lists.delete(timer.tick);
  }
}
