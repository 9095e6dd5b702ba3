import type { Clock, ClockTimer } from "@tickwheel/core";

/**
 * Work that somebody else may ask for as often as he likes: done at once, then at most each `everyMs`. What is asked
 * for in between is done once, at the end of the pause, so the last one is never lost.
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

  /** Forgets what was asked for. */
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
