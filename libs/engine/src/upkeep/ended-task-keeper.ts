import type { ForgetRequest, Leadership } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import type { SettingsInForce } from "../types/settings-in-force.js";

const INTERVAL_MS = 60_000;
/** Pages of a type in one run, so that each type has its turn. */
const MAX_PAGES = 50;

export interface EndedTaskSources {
  member: { leadership(): Leadership | null };
  inForce: Pick<SettingsInForce, "settings">;
}

type Kept = Pick<ForgetRequest, "typeId" | "state" | "keptMs">;

/**
 * As the leader, deletes what has ended of the types that people keep shorter than others, each minute, page by page. A
 * type that is not done in a run goes on in the next one where it ended: at once where something was deleted, since
 * there may be much more. Bounded by the types that have such a setting.
 */
export class EndedTaskKeeper extends PeriodicService {
  /** Where walks go on that are not over. */
  private places = new Map<string, string>();

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health" | "tasks" | "options">,
    private readonly sources: EndedTaskSources,
  ) {
    super("retention", context);
  }

  async runOnce(): Promise<void> {
    const places = new Map<string, string>();
    let hasMore = false;
    for (const kept of this.kept()) {
      if (this.shouldEnd || this.sources.member.leadership() === null) return;
      const name = `${kept.typeId}/${kept.state}`;
      const { forgotten, next } = await this.walk(kept, this.places.get(name) ?? null);
      if (next === null) continue;
      places.set(name, next);
      hasMore ||= forgotten > 0;
    }
    this.places = places;
    if (hasMore) this.wake();
  }

  protected intervalMs(): number {
    return INTERVAL_MS;
  }

  private kept(): Kept[] {
    return this.sources.inForce.settings.types.flatMap(({ typeId, keepSucceededMs, keepCancelledMs, keepDeadMs }) => [
      ...keptAs("succeeded", typeId, keepSucceededMs),
      ...keptAs("cancelled", typeId, keepCancelledMs),
      ...keptAs("dead", typeId, keepDeadMs),
    ]);
  }

  private async walk(kept: Kept, from: string | null): Promise<{ forgotten: number; next: string | null }> {
    const { tasks, options } = this.context;
    let forgotten = 0;
    let next = from;
    for (let page = 0; page < MAX_PAGES && !this.shouldEnd; page++) {
      const reply = await tasks.forgetEnded({ ...kept, after: next, limit: options.upkeepBatchSize });
      forgotten += reply.forgotten;
      next = reply.next;
      if (next === null) break;
    }
    return { forgotten, next };
  }
}

/** Null: people have set nothing. */
function keptAs(state: Kept["state"], typeId: Kept["typeId"], keptMs: number | null): Kept[] {
  return keptMs === null ? [] : [{ typeId, state, keptMs }];
}
