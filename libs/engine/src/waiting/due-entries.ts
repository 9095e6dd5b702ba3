import type { Finder, TaskHint, TypeId } from "@tickwheel/core";
import { TimingWheel } from "@tickwheel/timing-wheel";
import { type FoundTask, NEVER } from "./found-task.js";
import { TaskIdTable } from "./task-id-table.js";

/** Entries handed out, and moves of timers, in one step: what bounds the time of a step. */
const STEP_ENTRIES = 1_024;
const STEP_MOVES = 2_048;

/** The handle of a row that is not in use; a real one is never 0. */
const NO_HANDLE = 0;

/** The column's numbers for the finders are their places here. */
const FINDERS: readonly Finder[] = ["wheel", "sweep", "steal", "full-sweep"];

/** What the wheel of a node holds, with the table beside it. */
export interface WheelStats {
  entries: number;
  /** Memory reserved for any number of entries, and memory used by the most there have been at one time. */
  bytes: number;
}

/**
 * The tasks that this node is to wake up for: a timing wheel, and beside it a table of what each of its entries means.
 * An entry is a hint [any-entry-may-go]; a task that was cancelled or moved meanwhile dies at the claim.
 *
 * Ticks are milliseconds of the database's time. One entry per task: newer information about the same version, or a
 * newer version, replaces it; the layer that brought it first is its finder. The table is columns of numbers, because
 * there may be a million: with the wheel's 32 bytes an entry takes about 98, and the garbage collector visits none of
 * them. On failure: a full wheel takes nothing more and says so.
 */
export class DueEntries {
  private readonly wheel: TimingWheel;
  private readonly out = new Float64Array(STEP_ENTRIES);
  private readonly ids: TaskIdTable;
  private readonly handles: Float64Array;
  private readonly dueAt: Float64Array;
  private readonly versions: Float64Array;
  private readonly typeIds: Int32Array;
  private readonly priorities: Uint8Array;
  private readonly finders: Uint8Array;
  private readonly knownMonoMs: Float64Array;
  /** Rows that are free again, and how many. */
  private readonly freed: Int32Array;
  private freedCount = 0;
  /** Rows from here on were never used. */
  private untouched = 0;

  /** @param leadMs how long before its due time an entry expires */
  constructor(
    private readonly capacity: number,
    private readonly leadMs: number,
  ) {
    // Ticks of 4.6 hours at hand: entries are within the horizon, and one beyond is parked.
    this.wheel = new TimingWheel({ capacity, levels: 2 });
    this.ids = new TaskIdTable(capacity);
    this.handles = new Float64Array(capacity);
    this.dueAt = new Float64Array(capacity);
    this.versions = new Float64Array(capacity);
    this.typeIds = new Int32Array(capacity);
    this.priorities = new Uint8Array(capacity);
    this.finders = new Uint8Array(capacity);
    this.knownMonoMs = new Float64Array(capacity);
    this.freed = new Int32Array(capacity);
  }

  get size(): number {
    return this.untouched - this.freedCount;
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  /** Memory in use. Cost: O(1). */
  stats(): WheelStats {
    const { ids, untouched } = this;
    const { handles, dueAt, versions, typeIds, priorities, finders, knownMonoMs, freed } = this;
    const columns = [handles, dueAt, versions, typeIds, priorities, finders, knownMonoMs, freed];
    const rowBytes = columns.reduce((sum, { BYTES_PER_ELEMENT }) => sum + BYTES_PER_ELEMENT, ids.bytesPerRow);
    return { entries: this.size, bytes: this.wheel.memoryBytes + ids.hashBytes + untouched * rowBytes };
  }

  /** Since `knownMonoMs` this node knows of the task. False: there is no room, and nothing changed. */
  put(hint: TaskHint, foundBy: Finder, knownMonoMs: number): boolean {
    const known = this.ids.find(hint.id);
    if (known >= 0) {
      if (hint.version >= this.versions[known]!) {
        if (!this.tells(known, hint)) this.writeFinding(known, foundBy, knownMonoMs);
        this.write(known, hint);
        this.wheel.reschedule(this.handles[known]!, this.tickOf(hint));
      }
      return true;
    }
    if (this.isFull) return false;
    const row = this.freedCount > 0 ? this.freed[--this.freedCount]! : this.untouched++;
    this.ids.addSought(row);
    this.writeFinding(row, foundBy, knownMonoMs);
    this.write(row, hint);
    this.handles[row] = this.wheel.insert(this.tickOf(hint), row);
    return true;
  }

  /** Forgets a task. */
  drop(id: string): void {
    const row = this.ids.find(id);
    if (row >= 0) this.dropRow(row);
  }

  /** Forgets every entry that `isKept` refuses. Cost: one pass over all. */
  retain(isKept: (typeId: TypeId, slot: number) => boolean): void {
    for (let row = 0; row < this.untouched; row++) {
      if (this.handles[row] === NO_HANDLE || isKept(this.typeIds[row]!, this.ids.slotOf(row))) continue;
      this.dropRow(row);
    }
  }

  /** A copy of everything, in no order. Cost: one pass over all. */
  all(): FoundTask[] {
    const entries: FoundTask[] = [];
    for (let row = 0; row < this.untouched; row++) if (this.handles[row] !== NO_HANDLE) entries.push(this.read(row));
    return entries;
  }

  /** Hands out entries that expired by `nowMs`, oldest first, a bounded number. True: there is more. */
  expire(nowMs: number, take: (task: FoundTask) => void): boolean {
    const count = this.wheel.poll(nowMs, this.out, STEP_MOVES);
    for (let place = 0; place < count; place++) {
      const row = this.out[place]!;
      const hint = this.read(row);
      this.free(row);
      take(hint);
    }
    return this.wheel.hasMore;
  }

  /** A lower bound of when the next entry expires; null: there is none. */
  nextExpiryAt(): number | null {
    const tick = this.wheel.nextExpiryTick();
    return tick < 0 ? null : tick;
  }

  private tickOf(hint: TaskHint): number {
    return hint.dueAt - this.leadMs;
  }

  /** Whether the entry already says the same. */
  private tells(row: number, { version, dueAt }: TaskHint): boolean {
    return version === this.versions[row] && dueAt === this.dueAt[row];
  }

  private write(row: number, hint: TaskHint): void {
    this.dueAt[row] = hint.dueAt;
    this.versions[row] = hint.version;
    this.typeIds[row] = hint.typeId;
    this.priorities[row] = hint.priority;
  }

  private writeFinding(row: number, foundBy: Finder, knownMonoMs: number): void {
    this.finders[row] = FINDERS.indexOf(foundBy);
    this.knownMonoMs[row] = knownMonoMs;
  }

  private read(row: number): FoundTask {
    return {
      id: this.ids.idOf(row),
      typeId: this.typeIds[row]!,
      version: this.versions[row]!,
      dueAt: this.dueAt[row]!,
      priority: this.priorities[row]!,
      foundBy: FINDERS[this.finders[row]!]!,
      knownMonoMs: this.knownMonoMs[row]!,
      readyMonoMs: NEVER,
      offeredMonoMs: NEVER,
    };
  }

  private dropRow(row: number): void {
    this.wheel.cancel(this.handles[row]!);
    this.free(row);
  }

  private free(row: number): void {
    this.ids.remove(row);
    this.handles[row] = NO_HANDLE;
    this.freed[this.freedCount++] = row;
  }
}
