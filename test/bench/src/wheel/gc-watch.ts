import { PerformanceObserver, type PerformanceEntry } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";

/** Collects the pauses of the garbage collector from its creation on. */
export class GcWatch {
  private readonly pauses: PerformanceEntry[] = [];
  private readonly observer = new PerformanceObserver((list) => void this.pauses.push(...list.getEntries()));

  constructor() {
    this.observer.observe({ entryTypes: ["gc"] });
  }

  /** The longest pause in ms that began in this time (as `performance.now` counts it); 0: there was none. */
  async longestPauseMs(fromMs: number, toMs: number): Promise<number> {
    // Earlier pauses are reported in a later turn of the event loop.
    await setImmediate();
    await setImmediate();
    this.pauses.push(...this.observer.takeRecords());
    const within = this.pauses.filter(({ startTime }) => startTime >= fromMs && startTime <= toMs);
    return within.reduce((longest, { duration }) => Math.max(longest, duration), 0);
  }

  stop(): void {
    this.observer.disconnect();
  }
}
