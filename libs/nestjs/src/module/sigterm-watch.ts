import type { Clock, ClockTimer } from "@tickwheel/core";

/**
 * An application has this long after the start to listen to SIGTERM, in milliseconds: many do it after their last
 * `await`.
 */
export const SIGTERM_GRACE_MS = 10_000;

/**
 * Says once that nothing listens to SIGTERM, when an application that runs tasks has been up for a while and that is
 * so.
 */
export class SigtermWatch {
  private timer: ClockTimer | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly warn: (text: string) => void,
    private readonly listenerCount: () => number = () => process.listenerCount("SIGTERM"),
  ) {}

  start(): void {
    this.stop();
    this.timer = this.clock.setTimer(SIGTERM_GRACE_MS, () => this.look());
  }

  stop(): void {
    this.timer?.clear();
    this.timer = null;
  }

  private look(): void {
    this.timer = null;
    if (this.listenerCount() === 0)
      this.warn("Nothing listens to SIGTERM, so running tasks are not drained: call app.enableShutdownHooks()");
  }
}
