import type { EpochMs, TaskHint, TypeId } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { OccupiedTypes } from "../types/occupied-types.js";
import { pauseAfterLook, PeriodicService } from "../runtime/periodic-service.js";
import { boundsAfter, longLookInMs, type SweepBounds, type SweepLook, sweepLook } from "./sweep-bounds.js";
import { finderOf, sweepScopes } from "./sweep-scopes.js";
import { SLOW_SLICE_MS } from "./sweep-slices.js";

/** Sweeps of several nodes drift apart by shortening each pause by up to this share. */
const JITTER = 0.2;

export interface SweepParts {
  membership: Pick<Membership, "ownership">;
  types: Pick<OccupiedTypes, "runnable" | "pulled" | "known">;
  feed: DueFeed;
}

/** What the sweep has beside that. */
interface DueSweepParts extends SweepParts {
  /** Lets the full sweep look now. */
  sweepFully: () => void;
}

/**
 * The sweep: about each second asks the store for due tasks of the types that this node runs: its own, those without an
 * owner, and those that other owners have left overdue (stealing). So no task depends on a hint, a wheel entry or a
 * live owner.
 *
 * A soft lower bound per type keeps it cheap (`sweepLook`: how far before it a sweep looks, for what was committed
 * late); `lookFromStart` lifts it after anything that may have hidden older rows. Where a look without it took too
 * long, such looks are left to the full sweep for five times as long, which reads slice by slice.
 */
export class DueSweeper extends PeriodicService {
  private bounds: SweepBounds = new Map();
  private hasFailed = false;
  private hasMore = false;
  private longLookMonoMs = -Infinity;
  /** Until then no look is without a bound: the last one took too long. */
  private wholeLookMonoMs = -Infinity;
  private swept: readonly TypeId[] = [];

  constructor(
    private readonly context: EngineContext,
    private readonly parts: DueSweepParts,
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
    const startMonoMs = this.context.clock.monotonicMs();
    const look = sweepLook(startMonoMs >= this.longLookMonoMs, this.context.options);
    const types = await this.parts.types.runnable();
    this.swept = types;
    const dbNow = this.context.dbClock.nowMs();
    // In an outage the look was not what took too long.
    if (this.context.health.isPostgresAway) this.wholeLookMonoMs = -Infinity;
    if (startMonoMs < this.wholeLookMonoMs) this.leaveToFullSweep(types, dbNow);
    const { bounds } = this;
    const ownership = this.parts.membership.ownership();
    const scopes = sweepScopes({ types, ownership, bounds, dbNow, lookbackMs: look.lookbackMs });
    if (scopes.length > 0) {
      const { stealAfterOverdueMs, sweepPageSize: limitPerType } = this.context.options;
      const reply = await this.context.tasks.findDue({ scopes, stealAfterOverdueMs, limitPerType }).catch((error) => {
        if (scopes.some(({ notBefore }) => notBefore === null)) this.wholeLookFailed(startMonoMs, types, dbNow);
        throw error;
      });
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

  private wholeLookFailed(startMonoMs: number, types: readonly TypeId[], dbNow: EpochMs): void {
    const nowMonoMs = this.context.clock.monotonicMs();
    const tookMs = nowMonoMs - startMonoMs;
    if (tookMs <= SLOW_SLICE_MS || this.context.health.isPostgresAway) return;
    this.wholeLookMonoMs = nowMonoMs + pauseAfterLook(0, tookMs);
    this.hasFailed = false;
    this.leaveToFullSweep(types, dbNow);
  }

  /** The types without a bound get one, as if a look had seen all that is due of them. */
  private leaveToFullSweep(types: readonly TypeId[], dbNow: EpochMs): void {
    const shortTypes = types.filter((typeId) => !this.bounds.has(typeId));
    if (shortTypes.length === 0) return;
    this.bounds = boundsAfter(this.bounds, { now: dbNow, shortTypes });
    this.parts.sweepFully();
  }
}
