import { ListedQueue, type ListedTimer } from "./listed-queue.js";

/**
 * `naive`: a Map from tick to the list of its timers. Everything is O(1), but it cannot look ahead: a poll asks for
 * every tick that passed. Within a tick the order is any.
 */
export class NaiveQueue extends ListedQueue {
  private readonly lists = new Map<number, ListedTimer[]>();

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

  protected listOf(tick: number): ListedTimer[] {
    const known = this.lists.get(tick);
    if (known) return known;
    const list: ListedTimer[] = [];
    this.lists.set(tick, list);
    return list;
  }

  protected override takeOut(timer: ListedTimer): ListedTimer[] {
    const list = super.takeOut(timer);
    if (list.length === 0) this.lists.delete(timer.tick);
    return list;
  }
}
