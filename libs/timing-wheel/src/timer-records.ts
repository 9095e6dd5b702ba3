/** Names one timer of one wheel. It stays stale once the timer was handed out or cancelled: see {@link TimerRecords}. */
export type TimerHandle = number;

/** The largest number of timers that a handle can tell apart. */
export const MAX_CAPACITY = 2 ** 24;

const NONE = -1;
const INDEX_SPAN = MAX_CAPACITY;
const GENERATION_MASK = 2 ** 29 - 1;

/**
 * The timers of a wheel as records in typed arrays, and the lists that hold them.
 *
 * A list is circular, and its sentinel is itself a record: the numbers below `listCount` are sentinels (a list is named
 * by its sentinel), the numbers from there on are timers. So linking and unlinking need no branch.
 *
 * A handle is the timer's index and its record's generation in one double: 24 and 29 bits. Every change of life raises
 * the generation, odd is live and even is free, so a stale handle matches nothing. It could match again only after its
 * record was used 268,435,456 times more.
 *
 * Invariants: a live timer is in exactly one list, or in the heap of {@link OverdueHeap}; a sentinel is never unlinked.
 * Cost: every method is O(1), without allocation. All memory is reserved at once, but the system commits a page
 * only when it is written, and records are taken in ascending order: 29 bytes for each timer there ever was at one time.
 * When full: `allocate` answers -1 and changes nothing.
 */
export class TimerRecords {
  readonly deadlineTick: Float64Array;
  readonly value: Float64Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  readonly priority: Uint8Array;
  private readonly generation: Uint32Array;
  private readonly end: number;
  private freeHead = NONE;
  private untouched: number;
  private live = 0;

  constructor(
    readonly capacity: number,
    private readonly listCount: number,
  ) {
    this.end = listCount + capacity;
    this.untouched = listCount;
    this.deadlineTick = new Float64Array(this.end);
    this.value = new Float64Array(this.end);
    this.next = new Int32Array(this.end);
    this.previous = new Int32Array(this.end);
    this.priority = new Uint8Array(this.end);
    this.generation = new Uint32Array(this.end);
    for (let list = 0; list < listCount; list++) this.makeEmpty(list);
  }

  get size(): number {
    return this.live;
  }

  /** A record that is live from now on and in no list; -1 if all are in use. */
  allocate(): number {
    let record = this.freeHead;
    if (record !== NONE) this.freeHead = this.next[record]!;
    else if (this.untouched < this.end) record = this.untouched++;
    else return NONE;
    this.raiseGeneration(record);
    this.live++;
    return record;
  }

  /** Gives back a record that is in no list; its handle is stale from now on. */
  release(record: number): void {
    this.raiseGeneration(record);
    this.next[record] = this.freeHead;
    this.freeHead = record;
    this.live--;
  }

  handleOf(record: number): TimerHandle {
    return this.generation[record]! * INDEX_SPAN + (record - this.listCount);
  }

  /** The live record that a handle names, or -1. Any number is allowed. */
  find(handle: TimerHandle): number {
    const generation = Math.floor(handle / INDEX_SPAN);
    const record = handle - generation * INDEX_SPAN + this.listCount;
    return this.isLive(record) && this.generation[record] === generation ? record : NONE;
  }

  /** Calls `visit` for each live record in the order of memory, which is many times faster than along the lists. */
  forEachLive(visit: (record: number) => void): void {
    for (let record = this.listCount; record < this.untouched; record++) {
      if (this.isLive(record)) visit(record);
    }
  }

  isEmpty(list: number): boolean {
    return this.next[list] === list;
  }

  append(list: number, record: number): void {
    const last = this.previous[list]!;
    this.next[last] = record;
    this.previous[record] = last;
    this.next[record] = list;
    this.previous[list] = record;
  }

  /** Takes a record out of its list. Returns that list if it is empty now, else -1. */
  unlink(record: number): number {
    const next = this.next[record]!;
    const previous = this.previous[record]!;
    this.next[previous] = next;
    this.previous[next] = previous;
    return next === previous ? next : NONE;
  }

  /** Moves all records of one list to another, which must be empty, in O(1). */
  moveAll(from: number, to: number): void {
    if (this.isEmpty(from)) return;
    const first = this.next[from]!;
    const last = this.previous[from]!;
    this.next[to] = first;
    this.previous[first] = to;
    this.previous[to] = last;
    this.next[last] = to;
    this.makeEmpty(from);
  }

  private makeEmpty(list: number): void {
    this.next[list] = list;
    this.previous[list] = list;
  }

  private isLive(record: number): boolean {
    // What is no index at all (NaN, a fraction) reads as undefined, and `undefined & 1` is 0.
    return ((this.generation[record] as number) & 1) === 1;
  }

  private raiseGeneration(record: number): void {
    this.generation[record] = (this.generation[record]! + 1) & GENERATION_MASK;
  }
}
