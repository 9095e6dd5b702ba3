import type { SweepParts } from "./due-sweeper.js";
import type { EngineContext } from "./engine-context.js";
import { firstPages, nextPages } from "./guard-pages.js";
import { PeriodicService } from "./periodic-service.js";

/**
 * L4, the last net: each minute the same as the sweep without any lower bound, paged by key once through each type, so that a row
 * which lies below the sweep's bound is found too. Ends early when there is no room for more.
 */
export class Guard extends PeriodicService {
  constructor(
    private readonly context: EngineContext,
    private readonly parts: SweepParts,
  ) {
    super("guard", context);
  }

  async runOnce(): Promise<void> {
    const { stealAfterOverdueMs, sweepPageSize: limitPerType } = this.context.options;
    const { types, membership, feed } = this.parts;
    let scopes = firstPages(types.runnable(), membership.ownership());
    while (scopes.length > 0 && !this.shouldEnd) {
      const reply = await this.context.tasks.findDue({ scopes, stealAfterOverdueMs, limitPerType });
      if (!feed.give(reply.hints, () => "guard")) return;
      scopes = nextPages(scopes, reply);
    }
  }

  protected override firstDelayMs(): number {
    return this.intervalMs();
  }

  protected intervalMs(): number {
    return this.context.options.guardIntervalMs;
  }
}
