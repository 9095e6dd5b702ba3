import type { ClockTimer, Random } from "@tickwheel/core";

/** A timer in a {@link TimerHeap}. */
export interface HeapTimer extends ClockTimer {
  readonly atMs: number;
  /** How many were added before it. */
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Timers by their instants: a binary heap whose entries know their places, so that each can leave at any time.
 *
 * Timers of one instant come in an order drawn from `random`, or without it in the order they were added. Adding,
 * popping and removing cost O(log n) each.
 */
export class TimerHeap {
  private readonly entries: Entry[] = [];
  private added = 0;

  /**
   * @param random draws the order of timers of one instant
   * @param nextCleared called when the next timer was cleared, so that another timer is next, or none
   */
  constructor(
    private readonly random: Random | null = null,
    private readonly nextCleared: () => void = () => undefined,
  ) {}

  get size(): number {
    return this.entries.length;
  }

  /** The next timer, which stays. Null: there is none. */
  peek(): HeapTimer | null {
    return this.entries[0] ?? null;
  }

  add(atMs: number, callback: () => void): HeapTimer {
    const entry = new Entry(this, { atMs, callback, order: this.added++, tie: this.random?.next() ?? 0 });
    entry.place = this.entries.length;
    this.entries.push(entry);
    this.rise(entry);
    return entry;
  }

  /** For a timer: its owner clears it. */
  clear(timer: HeapTimer): void {
    const wasNext = this.peek() === timer;
    if (this.remove(timer) && wasNext) this.nextCleared();
  }

  /** Takes the next timer out. Null: there is none. */
  pop(): HeapTimer | null {
    const next = this.peek();
    if (next !== null) this.remove(next);
    return next;
  }

  /** Takes a timer of this heap out. False: it had left already. */
  remove(timer: HeapTimer): boolean {
    const entry = timer as Entry;
    if (entry.place < 0) return false;
    const last = this.entries.pop()!;
    if (last !== entry) {
      this.put(last, entry.place);
      this.rise(last);
      this.sink(last);
    }
    entry.place = -1;
    return true;
  }

  /** Takes all timers out. */
  empty(): void {
    for (const entry of this.entries) entry.place = -1;
    this.entries.length = 0;
  }

  private rise(entry: Entry): void {
    while (entry.place > 0) {
      const parent = this.entries[(entry.place - 1) >> 1]!;
      if (!comesBefore(entry, parent)) return;
      this.swap(entry, parent);
    }
  }

  private sink(entry: Entry): void {
    for (;;) {
      const left = this.entries[2 * entry.place + 1];
      const right = this.entries[2 * entry.place + 2];
      const child = left && right && comesBefore(right, left) ? right : left;
      if (!child || !comesBefore(child, entry)) return;
      this.swap(child, entry);
    }
  }

  private swap(one: Entry, other: Entry): void {
    const { place } = one;
    this.put(one, other.place);
    this.put(other, place);
  }

  private put(entry: Entry, place: number): void {
    this.entries[place] = entry;
    entry.place = place;
  }
}

/** There is one object for each timer, since a simulation sets millions: the owner holds the entry itself. */
class Entry implements HeapTimer {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
  readonly tie: number;
  /** Its place in the heap. -1: it is not in the heap any more. */
  place = -1;

  constructor(
    private readonly heap: TimerHeap,
    timer: { atMs: number; callback: () => void; order: number; tie: number },
  ) {
    this.atMs = timer.atMs;
    this.callback = timer.callback;
    this.order = timer.order;
    this.tie = timer.tie;
  }

  clear(): void {
    this.heap.clear(this);
  }
}

function comesBefore(one: Entry, other: Entry): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  if (one.tie !== other.tie) return one.tie < other.tie;
  return one.order < other.order;
}
