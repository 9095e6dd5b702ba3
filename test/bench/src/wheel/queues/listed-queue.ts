import type { TimerQueue } from "./timer-queue.js";

/** A timer in the list of its tick or slot, at `index`. */
export interface ListedTimer {
  tick: number;
  readonly value: number;
  index: number;
}

/**
 * What queues of arrays have in common: insert appends, cancel fills the gap with the last of the list, and to look
 * ahead they would have to visit every tick, so they name the next one.
 */
export abstract class ListedQueue implements TimerQueue<ListedTimer> {
  hasMore = false;
  size = 0;
  /** Ticks up to this one are handed out. */
  protected reachedTick = 0;

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

  abstract poll(nowTick: number, out: Float64Array): number;

  nextExpiryTick(): number {
    return this.size > 0 ? this.reachedTick + 1 : -1;
  }

  /** The list of a tick; a new one where it has none. */
  protected abstract listOf(tick: number): ListedTimer[];

  /** The last one of the list takes the place. @returns the list */
  protected takeOut(timer: ListedTimer): ListedTimer[] {
    const list = this.listOf(timer.tick);
    const last = list.pop()!;
    if (last !== timer) {
      list[timer.index] = last;
      last.index = timer.index;
    }
    return list;
  }

  private append(timer: ListedTimer): void {
    const list = this.listOf(timer.tick);
    timer.index = list.length;
    list.push(timer);
  }
}
