import type { DeadLetterStore } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

const INTERVAL_MS = 1_000;
/** Folds of one round; a further round follows. */
const MOST_FOLDS = 20;

/**
 * Moves what was tallied of deaths into the groups of their causes, each second; one node at a time does it, the others
 * skip. Cost while no task dies: a look at an empty table a second and node.
 */
export class DeadLetterFolder extends PeriodicService {
  constructor(
    context: Pick<EngineContext, "clock" | "health">,
    private readonly store: Pick<DeadLetterStore, "fold">,
  ) {
    super("dead-letters", context);
  }

  async runOnce(): Promise<void> {
    for (let folds = 0; folds < MOST_FOLDS && !this.shouldEnd; folds++) if (!(await this.store.fold())) break;
  }

  protected intervalMs(): number {
    return INTERVAL_MS;
  }
}
