import type { EndedLease, LeaseStore } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

const LOOK_MS = 1_000;
const JITTER = 0.2;

interface KeeperParts {
  leases: Pick<LeaseStore, "endLeases">;
  /** Whether there may be leases: consumers fetch tasks of some type. */
  isNeeded: () => boolean;
  /** Leases have ended, and the store knows. */
  ended: (leases: readonly EndedLease[]) => void;
}

/**
 * [lease-ends]: about each second, takes away tasks whose lease is over, on every node. So a task of a consumer that
 * died is there for another one about a second after its lease. Nodes share the work: each skips what another has
 * locked.
 */
export class LeaseKeeper extends PeriodicService {
  private wasFull = false;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: KeeperParts,
  ) {
    super("leases", context);
  }

  async runOnce(): Promise<void> {
    if (!this.parts.isNeeded()) return;
    const { upkeepBatchSize } = this.context.options;
    const ended = await this.parts.leases.endLeases(upkeepBatchSize);
    this.wasFull = ended.length === upkeepBatchSize;
    if (ended.length === 0) return;
    this.parts.ended(ended);
    this.context.telemetry.emit({
      name: "engine.leases.ended",
      level: "warn",
      message: `${ended.length} tasks were taken away from consumers whose leases had ended`,
      facts: { count: ended.length },
    });
  }

  protected intervalMs(): number {
    return this.wasFull ? 0 : LOOK_MS * (1 - JITTER * this.context.random.next());
  }
}
