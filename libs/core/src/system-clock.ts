import { type Clock, type ClockTimer, MAX_TIMER_MS } from "./clock.js";

/** The process's own clock. Its timers do not keep the process alive. */
export class SystemClock implements Clock {
  monotonicMs(): number {
    return performance.now();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    return new SystemTimer(setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS)).unref());
  }
}

class SystemTimer implements ClockTimer {
  constructor(private readonly timer: NodeJS.Timeout) {}

  clear(): void {
    clearTimeout(this.timer);
  }
}
