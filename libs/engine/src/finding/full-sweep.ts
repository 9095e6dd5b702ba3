import type { SweepParts } from "./due-sweeper.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { firstPages, nextPages } from "./full-sweep-pages.js";
import { type Failed, pauseAfterFailedLook, PeriodicService } from "../runtime/periodic-service.js";
import { expireBatch } from "./start-deadlines.js";

/**
 * The full sweep, the last net: each minute a sweep without any lower bound, paged by key once through each type. It
 * also finds rows below the sweep's bound. Ends early when there is no room for more.
 *
 * Then it ends tasks of all types that are past their start deadline: no sweep asks for types that no node runs.
 */
export class FullSweep extends PeriodicService {
  constructor(
    private readonly context: EngineContext,
    private readonly parts: SweepParts,
  ) {
    super("full_sweep", context);
  }

  async runOnce(): Promise<void> {
    await this.findDue();
    const known = await this.parts.types.known();
    while (!this.shouldEnd && (await expireBatch(this.context, known)));
  }

  protected override firstDelayMs(): number {
    return this.intervalMs();
  }

  protected intervalMs(): number {
    return this.context.options.fullSweepIntervalMs;
  }

  protected override retryAfterMs(_error: unknown, failed: Failed): number {
    return pauseAfterFailedLook(failed, this.context.health);
  }

  private async findDue(): Promise<void> {
    const { stealAfterOverdueMs, sweepPageSize: limitPerType } = this.context.options;
    const { types, membership, feed } = this.parts;
    let scopes = firstPages(await types.runnable(), membership.ownership());
    while (scopes.length > 0 && !this.shouldEnd) {
      const reply = await this.context.tasks.findDue({ scopes, stealAfterOverdueMs, limitPerType });
      if (!feed.give(reply.hints, () => "full-sweep")) return;
      scopes = nextPages(scopes, reply);
    }
  }
}
