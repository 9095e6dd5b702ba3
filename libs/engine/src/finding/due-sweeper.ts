import type { DueScope, TaskHint, TypeId } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { OccupiedTypes } from "../types/occupied-types.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import { expireBatch } from "./start-deadlines.js";
import { boundsAfter, longLookInMs, type SweepBounds, type SweepLook, sweepLook } from "./sweep-bounds.js";
import { finderOf, sweepScopes } from "./sweep-scopes.js";

/** Sweeps of several nodes drift apart by shortening each pause by up to this share. */
const JITTER = 0.2;

export interface SweepParts {
  membership: Pick<Membership, "ownership">;
  types: Pick<OccupiedTypes, "runnable" | "known">;
  feed: DueFeed;
}

/**
 * L3: about each second asks the store what is due of the types that this node runs: its own, what the view gives to
 * nobody, and what others own but have left overdue (stealing). So nothing depends on a hint, a wheel entry or an owner
 * being there.
 *
 * A soft lower bound per type keeps it cheap (`sweepLook`: how far before it a sweep looks, for what was committed
 * late); `lookFromStart` lifts it after anything that may have hidden older rows.
 *
 * After that it ends what is past its start deadline: a batch at a time, and a full one brings the next sweep at once.
 */
export class DueSweeper extends PeriodicService {
  private bounds: SweepBounds = new Map();
  private hasFailed = false;
  private hasMore = false;
  private longLookMonoMs = -Infinity;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: SweepParts,
  ) {
    super("sweep", context);
  }

  /** The next sweep has no lower bound: after a resume, a change of view. */
  lookFromStart(): void {
    this.bounds = new Map();
  }

  /**
   * A claim has passed by these. Most are gone; one that was locked just then is found again by the next sweep, unless
   * it lies so far back that this one would not look there.
   */
  passedBy(hints: readonly TaskHint[]): void {
    const { dbClock, options } = this.context;
    const oldestMs = dbClock.nowMs() - Math.min(...hints.map(({ dueAt }) => dueAt));
    const isSurelySeen = ({ lookbackMs }: SweepLook): boolean => oldestMs <= lookbackMs / 2;
    if (!isSurelySeen(sweepLook(true, options))) this.lookFromStart();
    else if (!isSurelySeen(sweepLook(false, options))) this.longLookMonoMs = -Infinity;
  }

  /** There are free places: if the last sweep could not bring everything, it is time for the next. */
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
    if (scopes.length > 0 && (await expireBatch(this.context, types))) this.wake();
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
