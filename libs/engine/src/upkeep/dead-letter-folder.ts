import type { DeadLetterStore, Pulse } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";

const INTERVAL_MS = 1_000;
/** Folds of one round; a further round follows. */
const MOST_FOLDS = 20;

/**
 * Moves what was tallied of deaths into the groups of their causes, each second; one node at a time does it, the others
 * skip. Cost while no task dies: its part of the pulse.
 */
export class DeadLetterFolder extends PulsedService {
  constructor(
    context: Pick<EngineContext, "clock" | "health" | "pulse">,
    private readonly store: Pick<DeadLetterStore, "fold">,
  ) {
    super("dead-letters", context);
  }

  async runOnce(): Promise<void> {
    for (let folds = 0; folds < MOST_FOLDS && !this.shouldEnd; folds++) if (!(await this.store.fold())) break;
  }

  protected everyMs(): number {
    return INTERVAL_MS;
  }

  protected mayFind({ deadTallies }: Pulse): boolean {
    return deadTallies;
  }
}
