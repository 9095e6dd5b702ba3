import type { Pulse } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";

/**
 * Notices that the store is a different one: a promoted standby, which may have lost the last commits. Conclusions from
 * those commits do not hold any more, so everything is looked at again. Looks as often as the sweep does, because a
 * restored row may lie below the sweep's bound.
 */
export class TimelineWatch extends PulsedService {
  private known: string | null = null;

  constructor(
    private readonly context: EngineContext,
    private readonly onPromotion: () => void,
  ) {
    super("timeline", context);
  }

  async runOnce(): Promise<void> {
    const timeline = await this.context.tasks.timeline();
    if (timeline === null || timeline === this.known) return;
    const before = this.known;
    this.known = timeline;
    if (before === null) return;
    this.context.telemetry.emit({
      name: "engine.timeline.changed",
      level: "warn",
      message: `The database goes on as timeline ${timeline}, no longer ${before}: everything is loaded again`,
      facts: { before, timeline },
    });
    this.onPromotion();
  }

  protected everyMs(): number {
    return this.context.options.sweepIntervalMs;
  }

  protected mayFind({ timeline }: Pulse): boolean {
    return timeline !== null && timeline !== this.known;
  }
}
