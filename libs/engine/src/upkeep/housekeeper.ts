import { type MaintenanceFailure, type MaintenanceReply, type Pulse, TickwheelError } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { type Failed, PeriodicService } from "../runtime/periodic-service.js";
import { PulsedService } from "../runtime/pulsed-service.js";

const ARCHIVE_INTERVAL_MS = 2_000;
/** Batches in one run, so that a run ends. */
const ARCHIVE_MAX_BATCHES = 50;
const MAINTAIN_INTERVAL_MS = 3_600_000;
/** A refusal of the database, such as a missing right, will not be gone in a second. */
const REFUSED_RETRY_MS = 300_000;

/**
 * Moves finished tasks to history, so that the live table stays small; each run until few are left. Any number of nodes
 * may do it.
 */
export class Archiver extends PulsedService {
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

  protected everyMs(): number {
    return ARCHIVE_INTERVAL_MS;
  }

  protected mayFind({ endedTasks }: Pulse): boolean {
    return endedTasks;
  }
}

/**
 * Makes partitions ahead and drops those past their retention, at the start and hourly, and at once again while there
 * is more to forget; one node at a time does it, the others skip.
 *
 * A step that the database refuses delays no other. It is reported with the missing grant, and tried again after five
 * minutes.
 */
export class PartitionKeeper extends PeriodicService {
  constructor(private readonly context: EngineContext) {
    super("maintain", context);
  }

  async runOnce(): Promise<void> {
    const { historyRetentionDays, deadRetentionDays, typeRetentionDays } = this.context.options;
    const retention = { historyRetentionDays, deadRetentionDays, typeRetentionDays };
    const reply = await this.context.tasks.maintain(retention);
    const { hasMore, failed } = reply;
    if (hasMore) this.wake();
    this.tell(reply);
    const outage = failed.find(({ error }) => error.code === "STORE_UNAVAILABLE");
    if (outage) throw outage.error;
    if (failed.length > 0) throw new UpkeepRefused(failed);
  }

  protected intervalMs(): number {
    return MAINTAIN_INTERVAL_MS;
  }

  protected override retryAfterMs(error: unknown, failed: Failed): number {
    return error instanceof UpkeepRefused ? REFUSED_RETRY_MS : super.retryAfterMs(error, failed);
  }

  private tell({ created, dropped, droppedTypes }: MaintenanceReply): void {
    if (created.length + dropped.length + droppedTypes.length === 0) return;
    this.context.telemetry.emit({
      name: "engine.maintain.done",
      level: "info",
      message: `${created.length} partitions made, ${dropped.length} dropped; ${droppedTypes.length} unused types dropped`,
      facts: { created, dropped, droppedTypes },
    });
  }
}

/** Steps of upkeep that the database does not let this role do. */
class UpkeepRefused extends TickwheelError {
  constructor(failed: readonly MaintenanceFailure[]) {
    const steps = failed.map(({ step }) => step);
    super("INTERNAL", failed.map(({ step, error }) => `${STEP[step]}: ${error.message}`).join("; "), {
      details: { steps, sqlState: failed[0]?.error.details.sqlState },
    });
  }
}

const STEP: Record<MaintenanceFailure["step"], string> = {
  create: "partitions cannot be made ahead",
  identify: "rows of partitions cannot be made identifiable",
  drop: "partitions past their retention cannot be dropped",
  forget: "old rows cannot be deleted",
  types: "unused types cannot be dropped",
};
