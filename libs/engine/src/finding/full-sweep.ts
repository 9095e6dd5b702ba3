import type { SweepParts } from "./due-sweeper.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { firstPages, nextPages } from "./full-sweep-pages.js";
import { type Failed, pauseAfterFailedLook, pauseAfterLook, PeriodicService } from "../runtime/periodic-service.js";
import { expireBatch } from "./start-deadlines.js";
import { afterSlice, narrowed, type Slice, sliceOf, type SliceWalk, SLOW_SLICE_MS, WHOLE } from "./sweep-slices.js";

/**
 * The full sweep, the last net: each minute a sweep without any lower bound, paged by key once through each type. It
 * also finds rows below the sweep's bound. Ends early when there is no room for more, and goes on from there.
 *
 * Where everything cannot be read in time, it reads slice by slice, the newest first: a snapshot that somebody holds
 * keeps an entry of the index for each task that has run since.
 *
 * Then it ends tasks of all types that are past their start deadline: no sweep asks for types that no node runs.
 */
export class FullSweep extends PeriodicService {
  private walk: SliceWalk = WHOLE;
  /** How long the slices of the last walk took, in milliseconds. */
  private tookMs = 0;
  private endedMonoMs = -Infinity;
  /** Whether the newest due times are to be read once more, behind the rest of a walk that had no room. */
  private isToBeginAgain = false;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: SweepParts,
  ) {
    super("full_sweep", context);
  }

  /** Runs at once, unless the last sweep took long and has just ended: then at its time. */
  wakeForSweep(): void {
    if (this.context.clock.monotonicMs() < this.endedMonoMs + pauseAfterLook(0, this.tookMs)) return;
    this.isToBeginAgain = this.walk.before !== null;
    this.wake();
  }

  async runOnce(): Promise<void> {
    await this.findDue().finally(() => (this.endedMonoMs = this.context.clock.monotonicMs()));
    const known = await this.parts.types.known();
    while (!this.shouldEnd && (await expireBatch(this.context, known)));
  }

  protected override firstDelayMs(): number {
    return this.intervalMs();
  }

  protected intervalMs(): number {
    return pauseAfterLook(this.context.options.fullSweepIntervalMs, this.tookMs);
  }

  protected override retryAfterMs(_error: unknown, failed: Failed): number {
    return pauseAfterFailedLook(failed, this.context.health);
  }

  private async findDue(): Promise<void> {
    this.tookMs = 0;
    while (!this.shouldEnd) {
      const slice = sliceOf(this.walk, this.context.dbClock.nowMs());
      const startMonoMs = this.context.clock.monotonicMs();
      const tookMs = (): number => this.context.clock.monotonicMs() - startMonoMs;
      let isWholly: boolean;
      try {
        isWholly = await this.findWithin(slice);
      } catch (error) {
        this.walk = this.walkAfterFailure(tookMs(), error);
        continue;
      } finally {
        this.tookMs += tookMs();
      }
      if (!isWholly) return;
      const next = afterSlice(slice, this.walk, tookMs());
      if (next !== null) {
        this.walk = next;
        continue;
      }
      this.walk = this.tookMs > SLOW_SLICE_MS ? narrowed(WHOLE)! : WHOLE;
      if (!this.isToBeginAgain) return;
      this.isToBeginAgain = false;
    }
  }

  /** @returns false: there is no room for more */
  private async findWithin(slice: Slice): Promise<boolean> {
    const { stealAfterOverdueMs, sweepPageSize: limitPerType } = this.context.options;
    const { types, membership, feed } = this.parts;
    let scopes = firstPages(await types.runnable(), membership.ownership(), slice);
    while (scopes.length > 0 && !this.shouldEnd) {
      const reply = await this.context.tasks.findDue({ scopes, stealAfterOverdueMs, limitPerType });
      if (!feed.give(reply.hints, () => "full-sweep")) return false;
      scopes = nextPages(scopes, reply);
    }
    return true;
  }

  /** @throws the error where the slice was not what took too long, or cannot be narrower */
  private walkAfterFailure(tookMs: number, error: unknown): SliceWalk {
    const next = tookMs > SLOW_SLICE_MS && !this.context.health.isPostgresAway ? narrowed(this.walk) : null;
    if (next !== null) return next;
    this.walk = WHOLE;
    throw error;
  }
}
