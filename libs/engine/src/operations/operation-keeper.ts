import type { OperationStore } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

const INTERVAL_MS = 60_000;
/** How many statements a run has at most, so that it ends; a further run follows. */
const MOST_STEPS = 50;

/**
 * Forgets what operations have changed a day after their end, and operations and the audit after 400 days, in small
 * steps. Any number of nodes may do it.
 */
export class OperationKeeper extends PeriodicService {
  constructor(
    context: Pick<EngineContext, "clock" | "health">,
    private readonly store: Pick<OperationStore, "forget">,
  ) {
    super("operation_memory", context);
  }

  async runOnce(): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS && !this.shouldEnd; steps++) if (!(await this.store.forget())) return;
    this.wake();
  }

  protected intervalMs(): number {
    return INTERVAL_MS;
  }
}
