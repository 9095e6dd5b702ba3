import type { EngineContext } from "./engine-context.js";
import { PeriodicService } from "./periodic-service.js";

const ARCHIVE_INTERVAL_MS = 2_000;
/** Batches in one run, so that a run ends. */
const ARCHIVE_MAX_BATCHES = 50;
const MAINTAIN_INTERVAL_MS = 3_600_000;

/** Moves finished tasks to history, so that the live table stays small; each run until few are left. Any number of nodes may do it. */
export class Archiver extends PeriodicService {
  constructor(private readonly context: EngineContext) {
    super("archive", context);
  }

  async runOnce(): Promise<void> {
    const { upkeepBatchSize } = this.context.options;
    let moved = upkeepBatchSize;
    for (let batch = 0; batch < ARCHIVE_MAX_BATCHES && moved >= upkeepBatchSize && !this.shouldEnd; batch++) {
      moved = await this.context.tasks.archive(upkeepBatchSize);
    }
  }

  protected intervalMs(): number {
    return ARCHIVE_INTERVAL_MS;
  }
}

/**
 * Makes partitions ahead and drops those past their retention, at the start and hourly, and at once again while there is more to forget; one
 * node at a time does it, the others skip.
 */
export class PartitionKeeper extends PeriodicService {
  constructor(private readonly context: EngineContext) {
    super("maintain", context);
  }

  async runOnce(): Promise<void> {
    const { historyRetentionDays, deadRetentionDays, typeRetentionDays } = this.context.options;
    const retention = { historyRetentionDays, deadRetentionDays, typeRetentionDays };
    const { created, dropped, droppedTypes, hasMore } = await this.context.tasks.maintain(retention);
    if (hasMore) this.wake();
    if (created.length + dropped.length + droppedTypes.length === 0) return;
    this.context.telemetry.emit({
      name: "engine.maintain.done",
      level: "info",
      message: `${created.length} partitions made, ${dropped.length} dropped; ${droppedTypes.length} unused types dropped`,
      facts: { created, dropped, droppedTypes },
    });
  }

  protected intervalMs(): number {
    return MAINTAIN_INTERVAL_MS;
  }
}
