import { ListedQueue, type ListedTimer } from "./listed-queue.js";

/** Netty's default. */
const SLOTS = 512;

/**
 * `rounds`: one ring of slots, as in Netty's HashedWheelTimer. A tick belongs to slot `tick % SLOTS`, whatever its
 * cycle of the ring; each tick walks the whole list of its slot and hands out those whose cycle has come. So a tick
 * costs as much as its slot holds, with nothing due too, and the ring cannot look ahead. Unlike Netty's the lists are
 * arrays: a walk along links waits for memory at each timer and takes ten times as long. Within a tick the order is
 * any.
 */
export class RoundsQueue extends ListedQueue {
  private readonly slots = Array.from({ length: SLOTS }, (): ListedTimer[] => []);
  /**
   * How many timers of the next tick's slot the walk has yet to see, from the start of the list; -1: it has not begun.
   */
  private unseen = -1;

  poll(nowTick: number, out: Float64Array): number {
    let written = 0;
    while (this.reachedTick < nowTick) {
      written = this.walk(out, written);
      if (this.unseen > 0) break;
      this.unseen = -1;
      this.reachedTick++;
    }
    this.size -= written;
    this.hasMore = this.reachedTick < nowTick;
    return written;
  }

  protected listOf(tick: number): ListedTimer[] {
    return this.slots[tick % SLOTS]!;
  }

  /** Walks the slot of the next tick from the end of its list to the start, or until `out` is full. */
  private walk(out: Float64Array, from: number): number {
    const tick = this.reachedTick + 1;
    const cycle = Math.floor(tick / SLOTS);
    const list = this.listOf(tick);
    let written = from;
    // An entry that has filled a gap since the last step was seen already, or lies before the rest of the list.
    let unseen = this.unseen < 0 ? list.length : Math.min(this.unseen, list.length);
    while (unseen > 0 && written < out.length) {
      const timer = list[--unseen]!;
      if (Math.floor(timer.tick / SLOTS) > cycle) continue;
      out[written++] = timer.value;
      this.takeOut(timer);
    }
    this.unseen = unseen;
    return written;
  }
}
