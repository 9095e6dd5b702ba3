import type { Clock, ClockTimer } from "@tickwheel/core";
import type { NodeMeters } from "../counting/node-meters.js";

const LONGEST_METERED_MS = 1_000;

/**
 * The same clock; it remembers how late its timers fired at worst. That is the event loop's lag as this node's own work
 * feels it, measured by timers that are there anyway, so an idle node wakes for no measuring.
 */
export class MeteredClock implements Clock {
  private worstLagMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly meters?: Pick<NodeMeters, "lagged">,
  ) {}

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    // Long timers are mostly time-outs, one for each task, and hardly any fires.
    if (delayMs > LONGEST_METERED_MS) return this.clock.setTimer(delayMs, callback);
    const plannedMonoMs = this.clock.monotonicMs() + Math.max(0, delayMs);
    return this.clock.setTimer(delayMs, () => {
      const lagMs = this.clock.monotonicMs() - plannedMonoMs;
      this.worstLagMs = Math.max(this.worstLagMs, lagMs);
      this.meters?.lagged(lagMs);
      callback();
    });
  }

  soon(callback: () => void): void {
    this.clock.soon(callback);
  }

  nextTurn(callback: () => void): void {
    this.clock.nextTurn(callback);
  }

  /** The worst lag in milliseconds since this was last asked. */
  takeWorstLagMs(): number {
    const lagMs = this.worstLagMs;
    this.worstLagMs = 0;
    return lagMs;
  }
}
