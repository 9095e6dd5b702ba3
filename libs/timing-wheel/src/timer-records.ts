/** Names one timer of one wheel. It stays stale once the timer was handed out or cancelled: see {@link TimerRecords}. */
export type TimerHandle = number;

/** The largest number of timers that a handle can tell apart. */
export const MAX_CAPACITY = 2 ** 24;
/** The last generation of a record, odd; with an index it fills the 53 bits that a double counts exactly. */
export const LAST_GENERATION = 2 ** 29 - 1;

const NONE = -1;
const INDEX_SPAN = MAX_CAPACITY;
const BYTES_PER_RECORD = 32;
const WARM_STEPS = 2_048;

// Where the fields of record r are: in `numbers` from 4 r on, in `words`, over the same memory, from 8 r on.
const VALUE = 1;
const NEXT = 4;
const PREVIOUS = 5;
const GENERATION = 6;
const PRIORITY = 7;

/**
 * The timers of a wheel as records of 32 bytes in one buffer, and the lists that hold them.
 *
 * ```
 * byte   0            8           16      20          24            28
 *        deadline     value       next    previous    generation    priority
 * ```
 * All of a record lies in one half of a cache line: with a million timers nearly every touch of another one is a cache miss, and that
 * miss costs more than everything else that is done to it. Arrays of their own for each field cost one miss each, and were five times slower.
 *
 * A list is circular, and its sentinel is itself a record: the numbers below `listCount` are sentinels (a list is named
 * by its sentinel), the numbers from there on are timers. So linking and unlinking need no branch.
 *
 * A handle is the timer's index and its record's generation in one double: 24 and 29 bits. Every change of life raises
 * the generation, odd is live and even is free, so a stale handle matches nothing. A record that has used up its 268,435,456
 * lives is retired: it is never taken again.
 *
 * Invariants: a live timer is in exactly one list, or in the heap of {@link OverdueHeap}; a sentinel is never unlinked.
 * Cost: every method is O(1), without allocation. All memory is reserved at once, but the system commits a page
 * only when it is written, and records are taken in ascending order: 32 bytes for each timer there ever was at one time.
 * When full: `allocate` answers -1 and changes nothing.
 */
export class TimerRecords {
  private readonly numbers: Float64Array;
  private readonly words: Int32Array;
  private readonly end: number;
  private readonly listCount: number;
  private readonly lastGeneration: number;
  private freeHead = NONE;
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
    const memory = new ArrayBuffer(this.end * BYTES_PER_RECORD);
    this.numbers = new Float64Array(memory);
    this.words = new Int32Array(memory);
    for (let list = 0; list < listCount; list++) this.makeEmpty(list);
  }

  get size(): number {
    return this.live;
  }

  /** A record that is live from now on and in no list; -1 if all are in use. */
  allocate(): number {
    let record = this.freeHead;
    if (record !== NONE) this.freeHead = this.next(record);
    else if (this.untouched < this.end) record = this.untouched++;
    else return NONE;
    this.words[8 * record + GENERATION]!++;
    this.live++;
    return record;
  }

  /** Gives back a record that is in no list; its handle is stale from now on. */
  release(record: number): void {
    const generation = this.words[8 * record + GENERATION]!;
    this.words[8 * record + GENERATION] = generation + 1;
    this.live--;
    if (generation >= this.lastGeneration) return;
    this.words[8 * record + NEXT] = this.freeHead;
    this.freeHead = record;
  }

  handleOf(record: number): TimerHandle {
    return this.words[8 * record + GENERATION]! * INDEX_SPAN + (record - this.listCount);
  }

  /** The live record that a handle names, or -1. Any number is allowed. */
  find(handle: TimerHandle): number {
    const generation = Math.floor(handle / INDEX_SPAN);
    const record = handle - generation * INDEX_SPAN + this.listCount;
    return this.isLive(record) && this.words[8 * record + GENERATION] === generation ? record : NONE;
  }

  deadlineTick(record: number): number {
    return this.numbers[4 * record]!;
  }

  setDeadlineTick(record: number, tick: number): void {
    this.numbers[4 * record] = tick;
  }

  value(record: number): number {
    return this.numbers[4 * record + VALUE]!;
  }

  setValue(record: number, value: number): void {
    this.numbers[4 * record + VALUE] = value;
  }

  priority(record: number): number {
    return this.words[8 * record + PRIORITY]!;
  }

  setPriority(record: number, priority: number): void {
    this.words[8 * record + PRIORITY] = priority;
  }

  /** The first of a list, or what follows a record in its list; the list itself where there is none. */
  next(record: number): number {
    return this.words[8 * record + NEXT]!;
  }

  /** The last of a list, or what precedes a record in its list. */
  previous(record: number): number {
    return this.words[8 * record + PREVIOUS]!;
  }

  /** For a record that is in no list: two words to use as one likes. `previous` of a record that is in a list is never negative. */
  setLinks(record: number, next: number, previous: number): void {
    this.words[8 * record + NEXT] = next;
    this.words[8 * record + PREVIOUS] = previous;
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

  append(list: number, record: number): void {
    const { words } = this;
    const last = words[8 * list + PREVIOUS]!;
    words[8 * last + NEXT] = record;
    words[8 * record + PREVIOUS] = last;
    words[8 * record + NEXT] = list;
    words[8 * list + PREVIOUS] = record;
  }

  /** Takes a record out of its list. Returns that list if it is empty now, else -1. */
  unlink(record: number): number {
    const { words } = this;
    const next = words[8 * record + NEXT]!;
    const previous = words[8 * record + PREVIOUS]!;
    words[8 * previous + NEXT] = next;
    words[8 * next + PREVIOUS] = previous;
    return next === previous ? next : NONE;
  }

  /** Moves all records of one list to another, which must be empty, in O(1). */
  moveAll(from: number, to: number): void {
    if (this.isEmpty(from)) return;
    const { words } = this;
    const first = words[8 * from + NEXT]!;
    const last = words[8 * from + PREVIOUS]!;
    words[8 * to + NEXT] = first;
    words[8 * first + PREVIOUS] = to;
    words[8 * to + PREVIOUS] = last;
    words[8 * last + NEXT] = to;
    this.makeEmpty(from);
  }

  /** Makes a record of a list its first, or the list empty if `record` is the list itself. What stood before it belongs elsewhere by now. */
  beginAt(list: number, record: number): void {
    this.words[8 * list + NEXT] = record;
    this.words[8 * record + PREVIOUS] = list;
  }

  /**
   * Brings records of a list into the processor's cache, up to WARM_STEPS from either end. Along a list each load waits for the one before
   * it; walked from both ends at once, two are under way, and who walks it next finds all of it near.
   */
  warm(list: number): void {
    const { words } = this;
    let forward = words[8 * list + NEXT]!;
    let backward = words[8 * list + PREVIOUS]!;
    for (let step = 0; step < WARM_STEPS && forward !== backward; step++) {
      forward = words[8 * forward + NEXT]!;
      if (forward === backward) return;
      backward = words[8 * backward + PREVIOUS]!;
    }
  }

  private makeEmpty(list: number): void {
    this.setLinks(list, list, list);
  }

  private isLive(record: number): boolean {
    // What is no index at all (NaN, a fraction) reads as undefined, and `undefined & 1` is 0.
    return ((this.words[8 * record + GENERATION] as number) & 1) === 1;
  }
}
