import { type Clock, leavesEnough, type TypeId } from "@tickwheel/core";

/** How fast places become free. */
export interface Turnover {
  /** Handlers that returned. */
  ended: number;
  /** Milliseconds that all handlers together held places, including those that still run. */
  placeMs: number;
}

/** A type without a limit of its own leaves this share of a node's places to the other types. */
const RESERVED_SHARE = 0.1;
/** A namespace leaves this share of a node's places to the others, whatever limits its types have. */
const RESERVED_OF_NAMESPACES = 0.2;

/** What a node can run. */
interface ServedTypes {
  count(): number;
  limitOf(typeId: TypeId): number | undefined;
  isPaused(typeId: TypeId): boolean;
  /** Whether the whole cluster limits this type: none of it is claimed ahead of a place here. */
  isLimited(typeId: TypeId): boolean;
  /** Absent: this node does not know the type. */
  namespaceOf(typeId: TypeId): string | undefined;
  namespaceCount(): number;
}

/** What else keeps a type from being claimed: its breaker, or its rate in the whole cluster. */
interface Gate {
  /** Whether a task of this type may be claimed, as far as this goes. */
  isOpen(typeId: TypeId): boolean;
  /** One is being claimed. */
  spend(typeId: TypeId): void;
  /** It was not claimed, or did not start. */
  giveBack(typeId: TypeId): void;
}

/**
 * Places to run in, limited per node and per type. A handler takes a place from its start until it has really returned.
 * A handler that ignores its abort is settled at its time-out, but keeps its place, because it keeps its memory and its
 * connections.
 *
 * A claim needs a place for each of its tasks, free now or soon ({@link prefetch}), so that a node with fast handlers
 * does not wait for the store between them.
 *
 * A type without a limit of its own leaves a tenth of the node's places to the other types, so that a type whose
 * handlers hang does not make the rest late. If a node runs types of several namespaces, each claims at most four times
 * what it leaves free. So the next namespace finds a place, however many others have hanging handlers.
 */
export class Capacity {
  private readonly held = new PlaceCount();
  private readonly running = new RunningCount();
  private readonly namespaces = new NamespaceCounts((typeId) => this.types.namespaceOf(typeId));
  private readonly idleListeners: (() => void)[] = [];
  /** How many tasks beyond its places this node may claim: as many as will have ended when the claim is answered. */
  prefetch = 0;
  /** A type that is closed to claims here for now: one of its tasks runs in quarantine. */
  closedTypeId: TypeId | null = null;
  private readonly gates: Gate[] = [];
  private ended = 0;
  private placeMs = 0;
  private countedMonoMs: number;

  constructor(
    private readonly concurrency: number,
    private readonly types: ServedTypes,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {
    this.countedMonoMs = clock.monotonicMs();
  }

  /** From now on a task is claimed if this lets it, too. */
  addGate(gate: Gate): void {
    this.gates.push(gate);
  }

  /** Tasks claimed and not ended, and handlers that have not returned, on the whole node. */
  get inUse(): number {
    return this.held.total;
  }

  get free(): number {
    return Math.max(0, this.concurrency - this.held.total);
  }

  /** Whether tasks that are not due yet may take places: most are free. */
  get hasRoomAhead(): boolean {
    return this.held.total < this.concurrency / 2;
  }

  /**
   * Whether a task of this type may be claimed: its type is not paused, and there is room. A type with a limit of its
   * own, or one of the cluster's, needs a free place first. The gates are asked last.
   */
  isOpen(typeId: TypeId): boolean {
    if (typeId === this.closedTypeId || this.types.isPaused(typeId)) return false;
    const isLimited = this.types.isLimited(typeId);
    if (this.held.total >= this.concurrency + (isLimited ? 0 : this.prefetch)) return false;
    const prefetch = isLimited || this.types.limitOf(typeId) !== undefined ? 0 : this.prefetch;
    if (this.held.of(typeId) >= this.limitOf(typeId) + prefetch) return false;
    return this.leavesEnough(typeId) && this.gates.every((gate) => gate.isOpen(typeId));
  }

  /** Whether a claimed task of this type may start. */
  mayStart(typeId: TypeId): boolean {
    if (this.running.total >= this.concurrency || this.running.of(typeId) >= this.limitOf(typeId)) return false;
    return this.namespaces.runningWith(typeId) < this.namespaceLimit();
  }

  /** A task is being claimed. */
  take(typeId: TypeId): void {
    for (const gate of this.gates) gate.spend(typeId);
    this.held.add(typeId, 1);
    this.namespaces.addHeld(typeId, 1);
  }

  /** Its handler starts. */
  start(typeId: TypeId): void {
    this.countPlaceTime();
    this.running.add(typeId, { count: 1, nowMonoMs: this.countedMonoMs });
    this.namespaces.addRunning(typeId, 1);
  }

  /** Its handler has returned. */
  end(typeId: TypeId): void {
    this.countPlaceTime();
    this.running.add(typeId, { count: -1, nowMonoMs: this.countedMonoMs });
    this.namespaces.addRunning(typeId, -1);
    this.ended++;
    this.release(typeId);
  }

  /** It was not claimed, or did not start. */
  giveBack(typeId: TypeId): void {
    for (const gate of this.gates) gate.giveBack(typeId);
    this.release(typeId);
  }

  /** What handlers did since the last call. */
  takeTurnover(): Turnover {
    this.countPlaceTime();
    const { ended, placeMs } = this;
    this.ended = this.placeMs = 0;
    return { ended, placeMs };
  }

  /**
   * For how long handlers held places since the last call, in milliseconds, by type; types without any are left out.
   */
  takePlaceMs(): [TypeId, number][] {
    return this.running.takePlaceMs(this.clock.monotonicMs());
  }

  /** Resolves when nothing is held (at once, if so already). */
  whenIdle(): Promise<void> {
    if (this.held.total === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  /** Whether the type's namespace leaves enough places to the others. */
  private leavesEnough(typeId: TypeId): boolean {
    if (this.types.namespaceCount() <= 1) return true;
    return leavesEnough({
      taken: this.namespaces.heldWith(typeId),
      free: this.concurrency + this.prefetch - this.held.total,
    });
  }

  private release(typeId: TypeId): void {
    this.held.add(typeId, -1);
    this.namespaces.addHeld(typeId, -1);
    if (this.held.total === 0) for (const listener of this.idleListeners.splice(0)) listener();
  }

  private countPlaceTime(): void {
    const nowMonoMs = this.clock.monotonicMs();
    this.placeMs += this.running.total * (nowMonoMs - this.countedMonoMs);
    this.countedMonoMs = nowMonoMs;
  }

  private limitOf(typeId: TypeId): number {
    const own = this.types.limitOf(typeId);
    if (own !== undefined) return Math.min(own, this.concurrency);
    if (this.types.count() <= 1) return this.concurrency;
    return this.allBut(RESERVED_SHARE);
  }

  private namespaceLimit(): number {
    return this.types.namespaceCount() <= 1 ? this.concurrency : this.allBut(RESERVED_OF_NAMESPACES);
  }

  private allBut(share: number): number {
    return Math.max(1, Math.floor(this.concurrency * (1 - share)));
  }
}

/** A count, in total and for each type. */
class PlaceCount {
  private readonly byType = new Map<TypeId, number>();
  total = 0;

  of(typeId: TypeId): number {
    return this.byType.get(typeId) ?? 0;
  }

  add(typeId: TypeId, count: number): void {
    this.total += count;
    this.byType.set(typeId, this.of(typeId) + count);
  }
}

/**
 * Running handlers, in total and for each type, and how long they have held places. A start takes the time off a
 * balance, an end adds it: with what still runs, the balance is the time held, at the cost of two additions.
 */
class RunningCount {
  private readonly byType = new Map<TypeId, { count: number; balanceMs: number }>();
  total = 0;

  of(typeId: TypeId): number {
    return this.byType.get(typeId)?.count ?? 0;
  }

  add(typeId: TypeId, { count, nowMonoMs }: { count: number; nowMonoMs: number }): void {
    let known = this.byType.get(typeId);
    if (known === undefined) this.byType.set(typeId, (known = { count: 0, balanceMs: 0 }));
    this.total += count;
    known.count += count;
    known.balanceMs -= count * nowMonoMs;
  }

  takePlaceMs(nowMonoMs: number): [TypeId, number][] {
    const taken: [TypeId, number][] = [];
    for (const [typeId, known] of this.byType) {
      const heldMs = known.balanceMs + known.count * nowMonoMs;
      known.balanceMs -= heldMs;
      if (heldMs > 0) taken.push([typeId, heldMs]);
      else if (known.count === 0) this.byType.delete(typeId);
    }
    return taken;
  }
}

/** What a namespace holds of the node's places. */
class NamespaceCount {
  held = 0;
  running = 0;
}

/**
 * Counts for each namespace, found by the type. A type's namespace is asked for once, so that a count is taken back
 * even if the type is forgotten meanwhile. Types without a known namespace are not counted.
 */
class NamespaceCounts {
  private readonly byType = new Map<TypeId, NamespaceCount>();
  private readonly byName = new Map<string, NamespaceCount>();

  constructor(private readonly namespaceOf: (typeId: TypeId) => string | undefined) {}

  heldWith(typeId: TypeId): number {
    return this.of(typeId)?.held ?? 0;
  }

  runningWith(typeId: TypeId): number {
    return this.of(typeId)?.running ?? 0;
  }

  addHeld(typeId: TypeId, count: number): void {
    const places = this.of(typeId);
    if (places) places.held += count;
  }

  addRunning(typeId: TypeId, count: number): void {
    const places = this.of(typeId);
    if (places) places.running += count;
  }

  private of(typeId: TypeId): NamespaceCount | undefined {
    return this.byType.get(typeId) ?? this.find(typeId);
  }

  private find(typeId: TypeId): NamespaceCount | undefined {
    const namespace = this.namespaceOf(typeId);
    if (namespace === undefined) return undefined;
    const places = this.byName.get(namespace) ?? new NamespaceCount();
    this.byName.set(namespace, places);
    this.byType.set(typeId, places);
    return places;
  }
}
