import { type TaskHint, type TypeId, slotOfId } from "@tickwheel/core";
import { TimingWheel } from "@tickwheel/timing-wheel";

/** Entries handed out, and moves of timers, in one step: what bounds the time of a step. */
const STEP_ENTRIES = 1_024;
const STEP_MOVES = 8_192;

/**
 * The tasks that this node is to wake up for: a timing wheel, and beside it what each of its entries means. An entry is a hint; it
 * may be dropped at any time, and a task that was cancelled or moved meanwhile dies at the claim.
 *
 * Ticks are milliseconds of the database's time. One entry per task: what is told last of a version, or a newer version, takes the
 * place of what was known. Columns instead of objects, because there may be a million.
 * On failure: a full wheel takes nothing more and says so.
 */
export class DueEntries {
  private readonly wheel: TimingWheel;
  private readonly out = new Float64Array(STEP_ENTRIES);
  private readonly indexOfId = new Map<string, number>();
  private readonly ids: string[] = [];
  private readonly handles: Float64Array;
  private readonly dueAt: Float64Array;
  private readonly versions: Float64Array;
  private readonly typeIds: Int32Array;
  private readonly priorities: Uint8Array;
  private readonly freed: number[] = [];

  /** @param leadMs how long before its due time an entry expires */
  constructor(
    private readonly capacity: number,
    private readonly leadMs: number,
  ) {
    this.wheel = new TimingWheel({ capacity });
    this.handles = new Float64Array(capacity);
    this.dueAt = new Float64Array(capacity);
    this.versions = new Float64Array(capacity);
    this.typeIds = new Int32Array(capacity);
    this.priorities = new Uint8Array(capacity);
  }

  get size(): number {
    return this.indexOfId.size;
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  /** False: there is no room, and nothing changed. */
  put(hint: TaskHint): boolean {
    const known = this.indexOfId.get(hint.id);
    if (known !== undefined) {
      if (hint.version >= this.versions[known]!) {
        this.write(known, hint);
        this.wheel.reschedule(this.handles[known]!, this.tickOf(hint));
      }
      return true;
    }
    if (this.isFull) return false;
    const index = this.freed.pop() ?? this.ids.length;
    this.ids[index] = hint.id;
    this.indexOfId.set(hint.id, index);
    this.write(index, hint);
    this.handles[index] = this.wheel.insert(this.tickOf(hint), index);
    return true;
  }

  /** Forgets a task. */
  drop(id: string): void {
    const index = this.indexOfId.get(id);
    if (index === undefined) return;
    this.wheel.cancel(this.handles[index]!);
    this.free(index);
  }

  /** Forgets every entry that `isKept` refuses. Cost: one pass over all. */
  retain(isKept: (typeId: TypeId, slot: number) => boolean): void {
    for (const [id, index] of this.indexOfId) if (!isKept(this.typeIds[index]!, slotOfId(id))) this.drop(id);
  }

  /** Hands out entries that expired by `nowMs`, oldest first, a bounded number. True: there is more. */
  expire(nowMs: number, take: (hint: TaskHint) => void): boolean {
    const count = this.wheel.poll(nowMs, this.out, STEP_MOVES);
    for (let place = 0; place < count; place++) {
      const index = this.out[place]!;
      const hint = this.read(index);
      this.free(index);
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

  private write(index: number, hint: TaskHint): void {
    this.dueAt[index] = hint.dueAt;
    this.versions[index] = hint.version;
    this.typeIds[index] = hint.typeId;
    this.priorities[index] = hint.priority;
  }

  private read(index: number): TaskHint {
    return {
      id: this.ids[index]!,
      typeId: this.typeIds[index]!,
      version: this.versions[index]!,
      dueAt: this.dueAt[index]!,
      priority: this.priorities[index]!,
    };
  }

  private free(index: number): void {
    this.indexOfId.delete(this.ids[index]!);
    this.ids[index] = "";
    this.freed.push(index);
  }
}
