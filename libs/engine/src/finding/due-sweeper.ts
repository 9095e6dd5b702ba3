import type { DueScope, TaskHint, TypeId } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { OccupiedTypes } from "../types/occupied-types.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import { boundsAfter, longLookInMs, type SweepBounds, type SweepLook, sweepLook } from "./sweep-bounds.js";
import { finderOf, sweepScopes } from "./sweep-scopes.js";

/** Sweeps of several nodes drift apart by shortening each pause by up to this share. */
const JITTER = 0.2;

export interface SweepParts {
  membership: Pick<Membership, "ownership">;
  types: Pick<OccupiedTypes, "runnable" | "pulled" | "known">;
  feed: DueFeed;
}

/**
 * The sweep: about each second asks the store for due tasks of the types that this node runs: its own, those without an
 * owner, and those that other owners have left overdue (stealing). So no task depends on a hint, a wheel entry or a
 * live owner.
 *
 * A soft lower bound per type keeps it cheap (`sweepLook`: how far before it a sweep looks, for what was committed
 * late); `lookFromStart` lifts it after anything that may have hidden older rows.
 */
export class DueSweeper extends PeriodicService {
  private bounds: SweepBounds = new Map();
  private hasFailed = false;
  private hasMore = false;
  private longLookMonoMs = -Infinity;
  private swept: readonly TypeId[] = [];

  constructor(
    private readonly context: EngineContext,
    private readonly parts: SweepParts,
  ) {
    super("sweep", context);
  }

  /** The types whose tasks may expire: those of the last sweep, and those whose tasks consumers fetch. */
  get expiring(): readonly TypeId[] {
    return [...this.swept, ...this.parts.types.pulled()];
  }

  /** The next sweep has no lower bound: after a resume, a change of view. */
  lookFromStart(): void {
    this.bounds = new Map();
  }

  /**
   * A claim has skipped these. Most are gone. A locked one is found again by the next sweep, unless it lies further
   * back than that sweep would look.
   */
  passedBy(hints: readonly TaskHint[]): void {
    const { dbClock, options } = this.context;
    const oldestMs = dbClock.nowMs() - Math.min(...hints.map(({ dueAt }) => dueAt));
    const isSurelySeen = ({ lookbackMs }: SweepLook): boolean => oldestMs <= lookbackMs / 2;
    if (!isSurelySeen(sweepLook(true, options))) this.lookFromStart();
    else if (!isSurelySeen(sweepLook(false, options))) this.longLookMonoMs = -Infinity;
  }

  /** There are free places: if the last sweep could not bring everything, the next one is due. */
  wakeIfMore(): void {
    if (!this.hasMore) return;
    this.hasMore = false;
    this.wake();
  }

  async runOnce(): Promise<void> {
    if (this.hasFailed) this.lookFromStart();
    this.hasFailed = true;
    const { bounds } = this;
    const startMonoMs = this.context.clock.monotonicMs();
    const look = sweepLook(startMonoMs >= this.longLookMonoMs, this.context.options);
    const types = await this.parts.types.runnable();
    this.swept = types;
    const scopes = this.scopes(types, bounds, look);
    if (scopes.length > 0) {
      const { stealAfterOverdueMs, sweepPageSize: limitPerType } = this.context.options;
      const reply = await this.context.tasks.findDue({ scopes, stealAfterOverdueMs, limitPerType });
      this.parts.feed.give(reply.hints, finderOf(scopes));
      this.hasMore = reply.shortTypes.length < scopes.length;
      if (this.bounds === bounds) this.bounds = boundsAfter(bounds, reply);
      if (look.isLong) this.longLookOver(startMonoMs);
    }
    this.hasFailed = false;
  }

  protected intervalMs(): number {
    return this.context.options.sweepIntervalMs * (1 - JITTER * this.context.random.next());
  }

  private longLookOver(startMonoMs: number): void {
    const nowMonoMs = this.context.clock.monotonicMs();
    this.longLookMonoMs = nowMonoMs + longLookInMs(nowMonoMs - startMonoMs, this.context.options);
  }

  private scopes(types: readonly TypeId[], bounds: SweepBounds, { lookbackMs }: SweepLook): DueScope[] {
    return sweepScopes({
      types,
      ownership: this.parts.membership.ownership(),
      bounds,
      dbNow: this.context.dbClock.nowMs(),
      lookbackMs,
    });
  }
}
