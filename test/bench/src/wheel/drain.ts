import type { FiringLog } from "./firing-log.js";
import { POLL_VALUES, type TimerQueue } from "./queues/timer-queue.js";
import type { Workload } from "./workload.js";

/** From when to when. */
type Span = Pick<Workload, "startTick" | "lastTick">;

/**
 * Lets everything fire. The time goes on as the engine's does: to the next expiry the queue names, at least by one
 * tick, and there the queue is polled until it has no more. A queue that cannot look ahead is thereby polled tick by
 * tick. It ends at `lastTick` with a queue that lost a timer, too.
 */
export function drain(queue: TimerQueue<unknown>, log: FiringLog, { startTick, lastTick }: Span): void {
  const out = new Float64Array(POLL_VALUES);
  let nowTick = startTick;
  while (queue.size > 0 && nowTick < lastTick) {
    nowTick = Math.max(nowTick + 1, queue.nextExpiryTick());
    do {
      const count = queue.poll(nowTick, out);
      log.append(out, count, nowTick);
    } while (queue.hasMore);
  }
}

/**
 * The same with a look at the clock before and after each poll, which would falsify the other's result.
 * @returns the longest poll in ms
 */
export function drainByStopwatch(queue: TimerQueue<unknown>, log: FiringLog, { startTick, lastTick }: Span): number {
  const out = new Float64Array(POLL_VALUES);
  let nowTick = startTick;
  let worstMs = 0;
  while (queue.size > 0 && nowTick < lastTick) {
    nowTick = Math.max(nowTick + 1, queue.nextExpiryTick());
    do {
      const startedMs = performance.now();
      const count = queue.poll(nowTick, out);
      worstMs = Math.max(worstMs, performance.now() - startedMs);
      log.append(out, count, nowTick);
    } while (queue.hasMore);
  }
  return worstMs;
}
