import type { TimerRecords } from "./timer-records.js";

const IN_HEAP = -1;

/** How timers with the same deadline are ordered. */
export type OrderWithinTick = "insertion" | "priority";

/**
 * Timers whose tick the wheel has passed already, in the order in which they are to be handed out: by deadline, then,
 * if asked for, by priority (lowest number first), then in the order of `push`. A binary heap of record numbers.
 *
 * Invariant: a record in the heap is in no list; its `next` holds its place here and its `previous` is -1, so `remove`
 * finds it without a search and without memory of its own.
 * Cost: `push` and `remove` O(log n); pushing in ascending order, the usual case, O(1). Room for all timers is
 * reserved, but the system commits only what was used.
 */
export class OverdueHeap {
  private readonly heap: Int32Array;
  private readonly sequence: Float64Array;
  private readonly byPriority: boolean;
  private count = 0;
  private pushes = 0;

  constructor(
    private readonly records: TimerRecords,
    orderWithinTick: OrderWithinTick,
  ) {
    this.heap = new Int32Array(records.capacity);
    this.sequence = new Float64Array(records.capacity);
    this.byPriority = orderWithinTick === "priority";
  }

  holds(record: number): boolean {
    return this.records.previous(record) === IN_HEAP;
  }

  /** The earliest deadline, or Infinity if the heap is empty. */
  earliestTick(): number {
    return this.count === 0 ? Infinity : this.records.deadlineTick(this.heap[0]!);
  }

  push(record: number): void {
    this.siftUp(this.count++, record, this.pushes++);
  }

  /** The record that is to be handed out first; the heap must not be empty. */
  first(): number {
    return this.heap[0]!;
  }

  remove(record: number): void {
    const place = this.records.next(record);
    this.records.setLinks(record, 0, 0);
    const last = --this.count;
    if (place === last) return;
    const moved = this.heap[last]!;
    const sequence = this.sequence[last]!;
    if (place > 0 && this.precedes(moved, sequence, parentOf(place))) this.siftUp(place, moved, sequence);
    else this.siftDown(place, moved, sequence);
  }

  private siftUp(from: number, record: number, sequence: number): void {
    let place = from;
    while (place > 0 && this.precedes(record, sequence, parentOf(place))) {
      const parent = parentOf(place);
      this.put(place, this.heap[parent]!, this.sequence[parent]!);
      place = parent;
    }
    this.put(place, record, sequence);
  }

  private siftDown(from: number, record: number, sequence: number): void {
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.count) break;
      const right = child + 1;
      if (right < this.count && this.precedes(this.heap[right]!, this.sequence[right]!, child)) child = right;
      if (this.precedes(record, sequence, child)) break;
      this.put(place, this.heap[child]!, this.sequence[child]!);
      place = child;
    }
    this.put(place, record, sequence);
  }

  /** Whether a record, pushed as number `sequence`, comes before the one that stands at `place`. */
  private precedes(record: number, sequence: number, place: number): boolean {
    const { records } = this;
    const other = this.heap[place]!;
    const ticks = records.deadlineTick(record) - records.deadlineTick(other);
    if (ticks !== 0) return ticks < 0;
    const priorities = this.byPriority ? records.priority(record) - records.priority(other) : 0;
    if (priorities !== 0) return priorities < 0;
    return sequence < this.sequence[place]!;
  }

  private put(place: number, record: number, sequence: number): void {
    this.heap[place] = record;
    this.sequence[place] = sequence;
    this.records.setLinks(record, place, IN_HEAP);
  }
}

function parentOf(place: number): number {
  return (place - 1) >> 1;
}
