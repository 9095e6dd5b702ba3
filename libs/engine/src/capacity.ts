import type { TypeId } from "@tickwheel/core";

/** The share of a node's places that no type without a limit of its own takes from the others. */
const RESERVED_SHARE = 0.1;

/**
 * Places to run in: so many per node, so many per type. A place is taken from the claim on until the handler has really returned:
 * one that ignores its abort is settled at its time-out, but its place stays taken, because so do its memory and its connections.
 *
 * A type without a limit of its own leaves a tenth of the node's places to the other types, so that one type whose handlers hang
 * does not make the rest late.
 */
export class Capacity {
  private readonly takenByType = new Map<TypeId, number>();
  private readonly idleListeners: (() => void)[] = [];
  private taken = 0;

  constructor(
    private readonly concurrency: number,
    private readonly types: { count(): number; limitOf(typeId: TypeId): number | undefined },
  ) {}

  /** Places taken, on the whole node. */
  get inUse(): number {
    return this.taken;
  }

  get free(): number {
    return this.concurrency - this.taken;
  }

  /** Whether tasks that are not due yet may take places: most are free. */
  get hasRoomAhead(): boolean {
    return this.taken < this.concurrency / 2;
  }

  /** Whether a task of this type may start. */
  isOpen(typeId: TypeId): boolean {
    return this.taken < this.concurrency && (this.takenByType.get(typeId) ?? 0) < this.limitOf(typeId);
  }

  take(typeId: TypeId): void {
    this.taken++;
    this.takenByType.set(typeId, (this.takenByType.get(typeId) ?? 0) + 1);
  }

  giveBack(typeId: TypeId): void {
    this.taken--;
    this.takenByType.set(typeId, this.takenByType.get(typeId)! - 1);
    if (this.taken === 0) for (const listener of this.idleListeners.splice(0)) listener();
  }

  /** Resolves when no place is taken (at once, if so already). */
  whenIdle(): Promise<void> {
    if (this.taken === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  private limitOf(typeId: TypeId): number {
    const own = this.types.limitOf(typeId);
    if (own !== undefined) return Math.min(own, this.concurrency);
    if (this.types.count() <= 1) return this.concurrency;
    return Math.max(1, Math.floor(this.concurrency * (1 - RESERVED_SHARE)));
  }
}
