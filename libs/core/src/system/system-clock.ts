import { type Clock, type ClockTimer, MAX_TIMER_MS } from "./clock.js";
import { SystemContext } from "./system-context.js";

/**
 * The process's own clock. Its timers do not keep the process alive, and what they call runs in the context in which
 * the clock was made, not in that of the caller that set them.
 */
export class SystemClock implements Clock {
  private readonly home = new SystemContext();

  monotonicMs(): number {
    return performance.now();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    const wholeMs = Math.min(Math.max(delayMs, 0), MAX_TIMER_MS);
    return new SystemTimer(this.home.runInAsyncScope(setTimeout, undefined, callback, wholeMs).unref());
  }

  soon(callback: () => void): void {
    this.home.runInAsyncScope(queueMicrotask, undefined, callback);
  }

  nextTurn(callback: () => void): void {
    this.home.runInAsyncScope(setImmediate, undefined, callback);
  }
}

class SystemTimer implements ClockTimer {
  constructor(private readonly timer: NodeJS.Timeout) {}

  clear(): void {
    clearTimeout(this.timer);
  }
}
