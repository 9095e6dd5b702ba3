import type { TimerQueue } from "./timer-queue.js";

/** Longer delays overflow: Node fires them after 1 ms. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * `setTimeout`: Node's own timers, one for each. They go by the real clock and cannot be told the time, so only insert
 * and cancel are measured.
 */
export class SetTimeoutQueue implements TimerQueue<NodeJS.Timeout> {
  readonly hasMore = false;
  size = 0;

  insert(deadlineTick: number, value: number): NodeJS.Timeout {
    this.size++;
    return setTimeout(fire, deadlineTick, value);
  }

  cancel(timeout: NodeJS.Timeout): void {
    clearTimeout(timeout);
    this.size--;
  }

  reschedule(): never {
    throw new Error("setTimeout has no reschedule");
  }

  poll(): never {
    throw new Error("setTimeout cannot be told the time");
  }

  nextExpiryTick(): number {
    return -1;
  }
}

/** The measurement ends before the earliest timer is due. */
function fire(value: number): void {
  throw new Error(`timer ${value} fired while others were measured`);
}
