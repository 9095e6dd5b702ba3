import type { Clock, ClockTimer } from "@tickwheel/core";

/**
 * Work that others may request at any rate: done at once, then at most each `everyMs`. Requests in between are served
 * once, at the end of the pause, so the last one is never lost.
 */
export class Throttle {
  private doneMonoMs = -Infinity;
  private timer: ClockTimer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
    private readonly work: () => void,
  ) {}

  ask(): void {
    if (this.timer !== null) return;
    const pauseMs = this.doneMonoMs + this.everyMs - this.clock.monotonicMs();
    if (pauseMs <= 0) this.run();
    else this.timer = this.clock.setTimer(Math.ceil(pauseMs), () => this.run());
  }

  /** Drops the pending request. */
  stop(): void {
    this.timer?.clear();
    this.timer = null;
  }

  private run(): void {
    this.timer = null;
    this.doneMonoMs = this.clock.monotonicMs();
    this.work();
  }
}
