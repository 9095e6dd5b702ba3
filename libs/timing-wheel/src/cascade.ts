import { FIRST_BIT } from "./bitmap.js";
import type { SlotLevels } from "./slot-levels.js";
import type { TimerRecords } from "./timer-records.js";

/**
 * Timers of each stripe that are brought near before they are taken: 2,048 at most, which the cache beside a processor
 * holds.
 */
const ROUND = 256;
const CLOSED = -Infinity;

/**
 * The timers of one slot on their way to the levels below, or the parked ones on their way into the range; it may take
 * many polls.
 *
 * The stripes of the slot stay apart: they are read a round at a time, all in step, and then emptied one after the
 * other. Which stripe comes first does not matter, because a slot below belongs to one stripe: timers of one tick keep
 * their order.
 *
 * While it is open the windows below stand at the slot. A timer that is inserted for the slot joins its stripe, to
 * queue behind its elders. Sets of stripes are bits, stripe 0 the highest. Invariant: `full` has the bit of every
 * stripe that holds a timer; a stripe that was emptied by cancels may have its bit still. Cost: O(1) a timer.
 */
export class Cascade {
  /** The end of the slot that is open; -Infinity: none is. */
  endTick = CLOSED;
  private startTick = 0;
  private stripesPerTick = 0;
  private full = 0;
  /**
   * The stripes that are still to be emptied in this round; the list of the one that is being emptied, and how many it
   * may give.
   */
  private waiting = 0;
  private list = 0;
  private left = 0;

  /** @param firstList of as many lists as a slot has stripes, which are this cascade's own */
  constructor(
    private readonly records: TimerRecords,
    private readonly levels: SlotLevels,
    private readonly firstList: number,
  ) {}

  get isOpen(): boolean {
    return this.endTick !== CLOSED;
  }

  /** Takes over all timers of a slot above level 0, which begins at `startTick`. */
  open(slot: number, startTick: number): void {
    const { levels, records, firstList } = this;
    const slotTicks = levels.ticksPerSlot(levels.levelOf(slot));
    this.startTick = startTick;
    this.endTick = startTick + slotTicks;
    this.stripesPerTick = levels.stripesPerSlot / slotTicks;
    this.full = levels.vacateSlot(slot);
    for (let stripes = this.full; stripes !== 0;) {
      const stripe = Math.clz32(stripes);
      stripes &= ~(FIRST_BIT >>> stripe);
      records.moveAll(slot + stripe, firstList + stripe);
    }
  }

  /** Takes over the timers of a list, which belong to any tick from `startTick` on. */
  openList(list: number, startTick: number): void {
    this.startTick = startTick;
    this.endTick = Infinity;
    this.stripesPerTick = 0;
    this.full = FIRST_BIT;
    this.records.moveAll(list, this.firstList);
  }

  /** Lets a timer for a tick of the open slot queue up. */
  append(record: number, tick: number): void {
    const stripe = ((tick - this.startTick) * this.stripesPerTick) | 0;
    this.full |= FIRST_BIT >>> stripe;
    this.records.append(this.firstList + stripe, record);
  }

  /** The timer to be placed next; it stays. -1, and closed, if there is none. */
  first(): number {
    do {
      if (this.left > 0) {
        const record = this.records.next(this.list);
        if (record !== this.list) return record;
        this.full &= ~(FIRST_BIT >>> (this.list - this.firstList));
      }
    } while (this.goOn());
    return -1;
  }

  /** Takes out what `first` found. */
  dropFirst(): void {
    this.left--;
    this.records.dropFirst(this.list);
  }

  /** To the next stripe, or the next round. False: no stripe holds anything, and it is closed. */
  private goOn(): boolean {
    this.left = 0;
    if (this.waiting === 0) {
      if (this.full === 0) {
        this.endTick = CLOSED;
        return false;
      }
      this.waiting = this.full;
      this.records.warm(this.firstList, this.full, ROUND);
    }
    const stripe = Math.clz32(this.waiting);
    this.waiting &= ~(FIRST_BIT >>> stripe);
    this.list = this.firstList + stripe;
    this.left = ROUND;
    return true;
  }
}
