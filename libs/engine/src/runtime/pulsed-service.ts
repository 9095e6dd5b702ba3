import type { Pulse } from "@tickwheel/core";
import type { EngineContext } from "./engine-context.js";
import { PeriodicService, RETRY_AFTER_FAILURE_MS } from "./periodic-service.js";

/** The pause after a look that took as long as the interval. */
const SHORTEST_PAUSE_MS = 20;

/**
 * A periodic service that sends statements of its own only where the node's pulse tells of work: at each turn it asks
 * again [level-triggered]. It looks by itself without asking where it was woken, after a failure, where there is no
 * pulse, and where nobody knows.
 *
 * Its turns follow the pulse: the next one comes `everyMs` after the look whose answer it has used. So all services of
 * a node use the same look, and each still sees a row within `everyMs` of its commit.
 */
export abstract class PulsedService extends PeriodicService {
  private usedMonoMs: number | null = null;

  constructor(
    part: string,
    private readonly shared: Pick<EngineContext, "clock" | "health" | "pulse">,
  ) {
    super(part, shared);
  }

  /** How old an answer may be, and how often to look, in milliseconds. */
  protected abstract everyMs(): number;

  /** Whether a run may find something. */
  protected abstract mayFind(pulse: Pulse): boolean;

  protected override async isDue(): Promise<boolean> {
    const { pulse } = this.shared;
    if (pulse === undefined) return true;
    const { askedMonoMs, answer } = pulse.read(this.everyMs());
    this.usedMonoMs = askedMonoMs;
    const known = await answer;
    return known === null || this.mayFind(known);
  }

  protected intervalMs(): number {
    if (this.usedMonoMs === null) return this.everyMs();
    const leftMs = this.usedMonoMs + this.everyMs() - this.shared.clock.monotonicMs();
    return Math.max(leftMs, SHORTEST_PAUSE_MS);
  }

  protected override retryAfterMs(): number {
    return Math.min(this.everyMs(), RETRY_AFTER_FAILURE_MS);
  }
}
