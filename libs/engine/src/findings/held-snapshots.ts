import { type FigureStore, type HeldSnapshot, type SeenHolds, snapshotsHeld } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

/** A snapshot counts from ten minutes on. */
const LOOK_INTERVAL_MS = 60_000;

/**
 * Looks at its start, and once a minute, who holds snapshots because of which Postgres removes no dead rows. Those held
 * for too long are told as findings.
 *
 * Cost: a small statement a minute. On failure: what was known stays known.
 */
export class HeldSnapshots extends PeriodicService {
  private seen: SeenHolds = new Map();
  private held: readonly HeldSnapshot[] = [];

  constructor(
    context: Pick<EngineContext, "clock" | "health">,
    /** Null: there is no store that could be asked. */
    private readonly figures: Pick<FigureStore, "snapshotHolders"> | null,
  ) {
    super("snapshots_look", context);
  }

  /** What the last look has seen. */
  get known(): readonly HeldSnapshot[] {
    return this.held;
  }

  async runOnce(): Promise<void> {
    const reading = await this.figures?.snapshotHolders().catch(() => null);
    if (reading) ({ held: this.held, seen: this.seen } = snapshotsHeld(reading, this.seen));
  }

  protected intervalMs(): number {
    return LOOK_INTERVAL_MS;
  }
}
