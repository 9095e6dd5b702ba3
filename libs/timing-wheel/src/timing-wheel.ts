import { Cascade } from "./cascade.js";
import { OverdueHeap } from "./overdue-heap.js";
import { SlotLevels } from "./slot-levels.js";
import { type TimerHandle, TimerRecords } from "./timer-records.js";
import { WheelFullError } from "./wheel-full-error.js";
import { requireInteger, resolveOptions, type TimingWheelOptions } from "./wheel-options.js";
import { collectStats, type TimingWheelStats } from "./wheel-stats.js";

const MOST_URGENT = 0;
const LEAST_URGENT = 255;
const DEFAULT_PRIORITY = 5;

/**
 * A hierarchical timing wheel (Varghese and Lauck, 1987): it holds timers and, when told the time, hands out the values
 * of those that are due. It reads no clock, starts no timer of its own and calls nobody.
 *
 * An example with two levels of four slots (`slotBits` 2, `levels` 2): level 0 has a slot for each tick of its window,
 * level 1 slots of four ticks. Timers A at tick 2, B at 6, C at 7 and D at 21 are inserted. D lies beyond the range of
 * 16 ticks and is parked.
 * ```
 * level 1   │ 0 … 3 │ 4 … 7: B, C │ 8 … 11 │ 12 … 15 │   parked: D
 * level 0   │ 0 │ 1 │ 2: A │ 3 │
 * ```
 * - `poll(1)` hands out nothing, `poll(2)` hands out A.
 * - `poll(5)`: the slot 4 … 7 has begun, so it cascades: level 0 moves its window there and takes over B and C. Nothing
 *   is due.
 * ```
 * level 1   │ 0 … 3 │ 4 … 7 │ 8 … 11 │ 12 … 15 │          parked: D
 * level 0           │ 4 │ 5 │ 6: B │ 7: C │
 * ```
 * - `poll(7)` hands out B and C: empty slots are skipped by a scan of bits.
 * - `poll(16)`: the range is 16 … 31 now, so D is placed into slot 20 … 23 of level 1.
 * - `poll(30)`, a jump: D's slot cascades, D goes to slot 21 of level 0 and is handed out.
 *
 * A **batch** is a poll and the polls that continue it, as long as `hasMore`. A timer that is inserted into an open
 * batch for a tick that the wheel has passed waits for the next batch: so one who always inserts "now" cannot
 * keep a batch open for ever.
 *
 * Invariants:
 * - never early: a value is handed out only if its deadline <= `nowTick` of that very poll, though time jump back;
 * - once: a timer is handed out or cancelled, never both, never twice;
 * - in order: deadlines ascend within a batch, equal ones in the order of insertion (or of priority, see the options);
 *   to be rescheduled counts as to be inserted anew;
 * - a timer for a tick > `reachedTick` is in the slot of that tick, or parked beyond the range, or in the open cascade;
 *   any other is overdue, or in the one slot of level 0 that is being handed out.
 *
 * Cost: insert, cancel and reschedule O(1) (O(log n) for overdue timers). A timer moves at most once per level; empty
 * slots are skipped, so a jump costs what it fires, not what it spans. No allocation after the constructor.
 * On failure: methods check their arguments before they change anything.
 */
export class TimingWheel {
  private readonly levels: SlotLevels;
  private readonly records: TimerRecords;
  private readonly overdue: OverdueHeap;
  private readonly cascade: Cascade;
  private readonly sortsByPriority: boolean;

  // Lists beside those of the slots. The first two hold overdue timers on their way into the heap.
  private readonly arrivedList: number;
  private readonly gatheringList: number;
  private readonly parkedList: number;

  /** Ticks up to this one have begun to be handed out. */
  private reachedTick: number;
  /** Lower bounds of the deadlines in the lists named, valid while these hold anything. */
  private ungatheredMinTick = 0;
  private parkedMinTick = 0;

  private batchOpen = false;
  private workLeft = 0;
  private written = 0;

  /** @throws RangeError if an option is out of its bounds. */
  constructor(options: TimingWheelOptions = {}) {
    const { capacity, slotBits, levels, startTick, orderWithinTick } = resolveOptions(options);
    this.levels = new SlotLevels(slotBits, levels);
    this.levels.standAt(startTick);
    this.reachedTick = startTick;
    this.arrivedList = this.levels.stripeCount;
    this.gatheringList = this.arrivedList + 1;
    this.parkedList = this.arrivedList + 2;
    const firstCascadeList = this.arrivedList + 3;
    this.records = new TimerRecords(capacity, { listCount: firstCascadeList + this.levels.stripesPerSlot });
    this.cascade = new Cascade(this.records, this.levels, firstCascadeList);
    this.overdue = new OverdueHeap(this.records, orderWithinTick);
    this.sortsByPriority = orderWithinTick === "priority";
  }

  /** How many timers the wheel holds, due ones that were not handed out yet included. */
  get size(): number {
    return this.records.size;
  }

  /**
   * Memory in use, in bytes: what the geometry takes (3.3 MB with the defaults), one bit for each of `capacity`, and 32
   * bytes for each of the most timers that there ever were at one time. Timers that wait overdue take 12 more.
   */
  get memoryBytes(): number {
    return this.levels.memoryBytes + this.records.memoryBytes;
  }

  /**
   * Whether the last poll stopped before its end: at the end of `out`, with more that is due, or at the end of its
   * budget, perhaps with more. Only a poll changes it, so `do { … } while (wheel.hasMore)` ends.
   */
  get hasMore(): boolean {
    return this.batchOpen;
  }

  /**
   * Adds a timer.
   * @param deadlineTick when it is due; a fraction is rounded up. Past or present: it is due at the next poll (in an
   *   open batch, of the next batch). Beyond the range of the levels: it is parked, and placed when the range reaches
   *   it.
   * @param value handed out when the timer is due; any finite number, kept as it is.
   * @param priority integer 0 (first) … 255, of effect only with `orderWithinTick: "priority"`.
   * @throws RangeError if an argument is not such a number.
   * @throws WheelFullError if the wheel holds `capacity` timers.
   */
  insert(deadlineTick: number, value: number, priority = DEFAULT_PRIORITY): TimerHandle {
    const tick = toDeadline(deadlineTick);
    requireFinite("value", value);
    if (!isPriority(priority)) requireInteger("priority", priority, [MOST_URGENT, LEAST_URGENT]);
    const record = this.records.allocate();
    if (record < 0) throw new WheelFullError(this.records.capacity);
    this.records.setValue(record, value);
    if (this.sortsByPriority) this.records.setPriority(record, priority);
    this.place(record, tick);
    return this.records.handleOf(record);
  }

  /** Removes a timer. False, and nothing changed, if it was handed out or cancelled already. */
  cancel(handle: TimerHandle): boolean {
    const record = this.records.find(handle);
    if (record < 0) return false;
    this.remove(record);
    return true;
  }

  /**
   * Moves a timer to another deadline, as if it were inserted now; its handle, value and priority stay.
   * False, and nothing changed, if it was handed out or cancelled already.
   * @throws RangeError if the deadline is not finite.
   */
  reschedule(handle: TimerHandle, deadlineTick: number): boolean {
    const tick = toDeadline(deadlineTick);
    const record = this.records.find(handle);
    if (record < 0) return false;
    this.detach(record);
    this.place(record, tick);
    return true;
  }

  /**
   * Hands out what is due at `nowTick`, oldest first. Between two polls everything is allowed; what was handed out can
   * no longer be cancelled. If time jumps back, only what is due by the earlier tick is handed out, nothing is lost.
   * @param nowTick the present tick, at most 2 ** 53 - 1; a fraction is rounded down.
   * @param out receives the values from index 0; its length (at least 1) limits how many.
   * @param budget how many times a timer may be moved or handed out, at least 1 (default: no limit). It bounds the time
   *   that a poll takes however many timers a slot holds.
   * @returns how many values were written; then see `hasMore`.
   * @throws RangeError if an argument is out of its bounds.
   * @example
   * const due = new Float64Array(1024);
   * do {
   *   const count = wheel.poll(nowTick, due);
   *   for (let i = 0; i < count; i++) start(due[i]);
   * } while (wheel.hasMore);
   */
  poll(nowTick: number, out: Float64Array, budget = Infinity): number {
    requireFinite("nowTick", nowTick);
    if (nowTick > Number.MAX_SAFE_INTEGER) throw new RangeError(`nowTick must be at most 2 ** 53 - 1, not ${nowTick}`);
    if (out.length === 0) throw new RangeError("out must have room for at least one value");
    if (!(budget >= 1)) throw new RangeError(`budget must be at least 1, not ${budget}`);
    // Nothing is left in the gathering list: only a poll that ends there can close a batch.
    if (!this.batchOpen) this.records.moveAll(this.arrivedList, this.gatheringList);
    this.workLeft = budget;
    this.written = 0;
    this.batchOpen = !this.runBatch(Math.floor(nowTick), out);
    return this.written;
  }

  /**
   * A lower bound of all deadlines, but at least 0, so that the caller may sleep until then; -1 if the wheel is empty.
   * It is exact for a timer within the window of level 0; for one farther away it is earlier: poll then and ask again.
   */
  nextExpiryTick(): number {
    if (this.size === 0) return -1;
    const listed = this.hasUngathered() ? this.ungatheredMinTick : Infinity;
    const ahead = this.cascade.isOpen ? this.reachedTick + 1 : this.startTickOf(this.levels.firstOccupied());
    return Math.max(0, Math.min(listed, this.overdue.earliestTick(), ahead));
  }

  /**
   * What the wheel holds, by level and slot. Cost: one pass over the memory of all records; for people, not for each
   * tick.
   */
  stats(): TimingWheelStats {
    return collectStats(this.levels, this.records, this.reachedTick);
  }

  /** Works until nothing more is due (true), or `out` is full or the budget spent (false). Each round moves a timer. */
  private runBatch(nowTick: number, out: Float64Array): boolean {
    for (;;) {
      if (!this.continueCascade() || !this.gatherOverdue()) return false;
      const slot = this.firstSlot();
      const startTick = this.startTickOf(slot);
      // Only after time jumped back can overdue timers be younger than those left in the slot of `reachedTick`.
      if (!this.handOutOverdue(Math.min(nowTick, startTick - 1), out)) return false;
      if (startTick > nowTick) {
        this.standAt(nowTick);
        return true;
      }
      if (!this.enter(slot, startTick, out)) return false;
    }
  }

  /**
   * The first tick of a slot that holds a timer, or (slot -1) of the range of the parked ones; Infinity if there are
   * none.
   */
  private startTickOf(slot: number): number {
    if (slot >= 0) return this.levels.startTickOf(slot);
    return this.records.isEmpty(this.parkedList) ? Infinity : this.levels.rangeStartTick(this.parkedMinTick);
  }

  /** The earliest slot that holds a timer, or -1. */
  private firstSlot(): number {
    const stripe = this.levels.firstOccupied();
    return stripe < 0 ? stripe : this.levels.slotOf(stripe);
  }

  /** Moves to a tick between which and `reachedTick` there is nothing left; a tick that has passed changes nothing. */
  private standAt(tick: number): void {
    if (tick <= this.reachedTick) return;
    this.reachedTick = tick;
    this.levels.standAt(tick);
  }

  /** Begins with the earliest slot or parked range, whose first tick is due. False if it stopped at a limit. */
  private enter(slot: number, startTick: number, out: Float64Array): boolean {
    if (slot < 0 || this.levels.levelOf(slot) > 0) {
      this.openCascade(slot, startTick);
      return true;
    }
    this.reachedTick = startTick;
    if (!this.sortsByPriority) return this.handOutSlot(slot, out);
    this.noteUngathered(startTick);
    this.records.moveAll(slot, this.gatheringList);
    this.levels.vacate(slot);
    return true;
  }

  /**
   * Takes the timers of a slot of a higher level (or the parked ones, slot -1) to be placed anew, and moves the windows
   * below to it. The wheel then stands one tick before the slot: what is inserted for its first tick, though due,
   * must queue behind the timers that still wait in the cascade.
   */
  private openCascade(slot: number, startTick: number): void {
    if (slot < 0) {
      this.cascade.openList(this.parkedList, startTick);
    } else {
      this.cascade.open(slot, startTick);
    }
    this.levels.standAt(startTick);
    this.reachedTick = startTick - 1;
  }

  /** Places the timers of the open cascade, if there is one. False if the budget did not suffice. */
  private continueCascade(): boolean {
    const { cascade, records } = this;
    if (!cascade.isOpen) return true;
    for (let record = cascade.first(); record >= 0; record = cascade.first()) {
      if (!this.spendWork()) return false;
      cascade.dropFirst();
      this.placeAhead(record, records.deadlineTick(record));
    }
    return true;
  }

  /** Brings overdue timers of this batch into their order. False if the budget did not suffice. */
  private gatherOverdue(): boolean {
    const { records, gatheringList } = this;
    while (!records.isEmpty(gatheringList)) {
      if (!this.spendWork()) return false;
      const record = records.next(gatheringList);
      records.unlink(record);
      this.overdue.push(record);
    }
    return true;
  }

  private handOutOverdue(lastTick: number, out: Float64Array): boolean {
    while (this.overdue.earliestTick() <= lastTick) {
      if (this.written === out.length || !this.spendWork()) return false;
      const record = this.overdue.first();
      out[this.written++] = this.records.value(record);
      this.remove(record);
    }
    return true;
  }

  private handOutSlot(slot: number, out: Float64Array): boolean {
    const { records } = this;
    let record = records.next(slot);
    while (record !== slot && this.written < out.length && this.spendWork()) {
      const following = records.next(record);
      out[this.written++] = records.value(record);
      records.release(record);
      record = following;
    }
    records.beginAt(slot, record);
    if (record !== slot) return false;
    this.levels.vacate(slot);
    return true;
  }

  /** False if nothing is left of the budget. */
  private spendWork(): boolean {
    if (this.workLeft < 1) return false;
    this.workLeft--;
    return true;
  }

  /** Puts a live record that is nowhere where its deadline belongs. */
  private place(record: number, tick: number): void {
    this.records.setDeadlineTick(record, tick);
    if (tick <= this.reachedTick) {
      this.noteUngathered(tick);
      this.records.append(this.arrivedList, record);
    } else if (tick < this.cascade.endTick) {
      this.cascade.append(record, tick);
    } else {
      this.placeAhead(record, tick);
    }
  }

  private placeAhead(record: number, tick: number): void {
    const stripe = this.levels.stripeOf(tick);
    if (stripe >= 0) {
      if (this.records.append(stripe, record)) this.levels.occupy(stripe);
      return;
    }
    const isFirst = this.records.isEmpty(this.parkedList);
    this.parkedMinTick = isFirst ? tick : Math.min(this.parkedMinTick, tick);
    this.records.append(this.parkedList, record);
  }

  private remove(record: number): void {
    this.detach(record);
    this.records.release(record);
  }

  private detach(record: number): void {
    if (this.overdue.holds(record)) {
      this.overdue.remove(record);
      return;
    }
    const emptied = this.records.unlink(record);
    if (emptied >= 0 && emptied < this.levels.stripeCount) this.levels.vacate(emptied);
  }

  private hasUngathered(): boolean {
    return !this.records.isEmpty(this.arrivedList) || !this.records.isEmpty(this.gatheringList);
  }

  private noteUngathered(tick: number): void {
    this.ungatheredMinTick = this.hasUngathered() ? Math.min(this.ungatheredMinTick, tick) : tick;
  }
}

/** Checked first, since a million inserts would make as many arrays of bounds. */
function isPriority(priority: number): boolean {
  return priority === (priority & LEAST_URGENT);
}

function toDeadline(tick: number): number {
  requireFinite("deadlineTick", tick);
  return Math.ceil(tick);
}

function requireFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${name} must be a finite number, not ${String(value)}`);
}
