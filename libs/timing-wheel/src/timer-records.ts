import { BITS_PER_WORD, FIRST_BIT } from "./bitmap.js";
import { FreeRecords } from "./free-records.js";

/**
 * Names one timer of one wheel. It stays stale once the timer was handed out or cancelled: see {@link TimerRecords}.
 */
export type TimerHandle = number;

/** The largest number of timers that a handle can tell apart. */
export const MAX_CAPACITY = 2 ** 24;
/** The last generation of a record, odd; with an index it fills the 53 bits that a double counts exactly. */
export const LAST_GENERATION = 2 ** 29 - 1;

const NONE = -1;
const INDEX_SPAN = MAX_CAPACITY;
const INDEX_MASK = INDEX_SPAN - 1;
const GENERATIONS_PER_HANDLE = 1 / INDEX_SPAN;
const BYTES_PER_RECORD = 32;

// Where the fields of record r are: in `words` from 4 r on …
const NEXT = 0;
const PREVIOUS = 1;
const GENERATION = 2;
const PRIORITY = 3;
// … and in `numbers` from 2 r on.
const DEADLINE = 0;
const VALUE = 1;

/**
 * The timers of a wheel as records of 32 bytes in two arrays, and the lists that hold them.
 *
 * ```
 * words    next | previous | generation | priority      4 bytes each
 * numbers  deadline        | value                      8 bytes each
 * ```
 * With a million timers nearly every touch of another one is a cache miss, which costs more than all else that is done
 * to it. To cancel or to move a timer touches it and its two neighbours, but of all three only the words: those of four
 * timers lie in one cache line, and the words of a million fit the largest cache of many machines.
 *
 * A list is circular, and its sentinel is itself a record: the numbers below `listCount` are sentinels (a list is named
 * by its sentinel), the numbers from there on are timers. So linking and unlinking need no branch.
 *
 * A handle is the timer's index and its record's generation in one double: 24 and 29 bits. Every change of life raises
 * the generation, odd is live and even is free, so a stale handle matches nothing. A record that has used up its
 * 268,435,456 lives is retired: it is never taken again.
 *
 * Invariants: a live timer is in exactly one list, or in the heap of {@link OverdueHeap}; a sentinel is never unlinked.
 * Cost: every method is O(1), without allocation. All memory is reserved at once, but the system commits a page only
 * when it is written, and records are taken in ascending order: 32 bytes for each timer there ever was at one time.
 * When full: `allocate` answers -1 and changes nothing.
 */
export class TimerRecords {
  private readonly numbers: Float64Array;
  private readonly words: Int32Array;
  private readonly end: number;
  private readonly listCount: number;
  private readonly lastGeneration: number;
  private readonly free: FreeRecords;
  private readonly cursors = new Int32Array(BITS_PER_WORD);
  /** What `warm` read: if it were kept nowhere, the compiler would leave out the reading. */
  private readonly touched = new Float64Array(1);
  private untouched: number;
  private live = 0;

  constructor(
    readonly capacity: number,
    { listCount, lastGeneration = LAST_GENERATION }: { listCount: number; lastGeneration?: number },
  ) {
    this.listCount = listCount;
    this.lastGeneration = lastGeneration;
    this.end = listCount + capacity;
    this.untouched = listCount;
    this.free = new FreeRecords(this.end);
    this.words = new Int32Array(4 * this.end);
    this.numbers = new Float64Array(2 * this.end);
    for (let list = 0; list < listCount; list++) this.makeEmpty(list);
  }

  get size(): number {
    return this.live;
  }

  /** Bytes in use: 32 for each list and for each record that was ever taken, and what the free ones are known by. */
  get memoryBytes(): number {
    return this.untouched * BYTES_PER_RECORD + this.free.memoryBytes;
  }

  /** A record that is live from now on and in no list; -1 if all are in use. */
  allocate(): number {
    let record = this.free.take();
    if (record < 0) {
      if (this.untouched === this.end) return NONE;
      record = this.untouched++;
    }
    this.words[4 * record + GENERATION]!++;
    this.live++;
    return record;
  }

  /** Gives back a record that is in no list; its handle is stale from now on. */
  release(record: number): void {
    const generation = this.words[4 * record + GENERATION]!;
    this.words[4 * record + GENERATION] = generation + 1;
    this.live--;
    if (generation < this.lastGeneration) this.free.put(record);
  }

  handleOf(record: number): TimerHandle {
    return this.words[4 * record + GENERATION]! * INDEX_SPAN + (record - this.listCount);
  }

  /** The live record that a handle names, or -1. Any number is allowed. */
  find(handle: TimerHandle): number {
    const index = (handle | 0) & INDEX_MASK;
    const generation = (handle * GENERATIONS_PER_HANDLE) | 0;
    if (generation * INDEX_SPAN + index !== handle || index >= this.capacity || (generation & 1) === 0) return NONE;
    const record = this.listCount + index;
    return this.words[4 * record + GENERATION] === generation ? record : NONE;
  }

  deadlineTick(record: number): number {
    return this.numbers[2 * record + DEADLINE]!;
  }

  setDeadlineTick(record: number, tick: number): void {
    this.numbers[2 * record + DEADLINE] = tick;
  }

  value(record: number): number {
    return this.numbers[2 * record + VALUE]!;
  }

  setValue(record: number, value: number): void {
    this.numbers[2 * record + VALUE] = value;
  }

  priority(record: number): number {
    return this.words[4 * record + PRIORITY]!;
  }

  setPriority(record: number, priority: number): void {
    this.words[4 * record + PRIORITY] = priority;
  }

  /** The first of a list, or what follows a record in its list; the list itself where there is none. */
  next(record: number): number {
    return this.words[4 * record + NEXT]!;
  }

  /** The last of a list, or what precedes a record in its list. */
  previous(record: number): number {
    return this.words[4 * record + PREVIOUS]!;
  }

  /**
   * For a record that is in no list: two words to use as one likes. `previous` of a record that is in a list is never
   * negative.
   */
  setLinks(record: number, next: number, previous: number): void {
    this.words[4 * record + NEXT] = next;
    this.words[4 * record + PREVIOUS] = previous;
  }

  /** Calls `visit` for each live record in the order of memory, which is many times faster than along the lists. */
  forEachLive(visit: (record: number) => void): void {
    for (let record = this.listCount; record < this.untouched; record++) {
      if (this.isLive(record)) visit(record);
    }
  }

  isEmpty(list: number): boolean {
    return this.next(list) === list;
  }

  /** Adds a record as the last of a list. Returns whether the list was empty. */
  append(list: number, record: number): boolean {
    const { words } = this;
    const last = words[4 * list + PREVIOUS]!;
    words[4 * last + NEXT] = record;
    words[4 * record + PREVIOUS] = last;
    words[4 * record + NEXT] = list;
    words[4 * list + PREVIOUS] = record;
    return last === list;
  }

  /** Takes a record out of its list. Returns that list if it is empty now, else -1. */
  unlink(record: number): number {
    const { words } = this;
    const next = words[4 * record + NEXT]!;
    const previous = words[4 * record + PREVIOUS]!;
    words[4 * previous + NEXT] = next;
    words[4 * next + PREVIOUS] = previous;
    return next === previous ? next : NONE;
  }

  /** Moves all records of one list, in their order, to the end of another, in O(1). */
  moveAll(from: number, to: number): void {
    if (this.isEmpty(from)) return;
    const { words } = this;
    const first = words[4 * from + NEXT]!;
    const last = words[4 * from + PREVIOUS]!;
    const before = words[4 * to + PREVIOUS]!;
    words[4 * before + NEXT] = first;
    words[4 * first + PREVIOUS] = before;
    words[4 * to + PREVIOUS] = last;
    words[4 * last + NEXT] = to;
    this.makeEmpty(from);
  }

  /**
   * Makes a record of a list its first, or the list empty if `record` is the list itself. What stood before it belongs
   * elsewhere by now.
   */
  beginAt(list: number, record: number): void {
    this.words[4 * list + NEXT] = record;
    this.words[4 * record + PREVIOUS] = list;
  }

  /** Takes the first out of a list that is not empty. */
  dropFirst(list: number): void {
    this.beginAt(list, this.next(this.next(list)));
  }

  /**
   * Brings the first `steps` records of each of several lists into the processor's cache, so that who takes them then
   * finds them near. Along one list each load waits for the one before it; of lists walked in step as many are under
   * way at once.
   * @param lists which of the 32 lists from `firstList` on, as bits; the highest bit is `firstList`
   */
  warm(firstList: number, lists: number, steps: number): void {
    const { words, numbers, cursors } = this;
    let touched = 0;
    let walking = lists;
    for (let step = 0; step < steps && walking !== 0; step++) {
      for (let rest = walking; rest !== 0;) {
        const place = Math.clz32(rest);
        const bit = FIRST_BIT >>> place;
        rest &= ~bit;
        const list = firstList + place;
        const record = step === 0 ? list : cursors[place]!;
        const following = words[4 * record + NEXT]!;
        touched += numbers[2 * record + DEADLINE]!;
        cursors[place] = following;
        if (following === list) walking &= ~bit;
      }
    }
    this.touched[0] = touched;
  }

  private makeEmpty(list: number): void {
    this.setLinks(list, list, list);
  }

  private isLive(record: number): boolean {
    return (this.words[4 * record + GENERATION]! & 1) === 1;
  }
}
