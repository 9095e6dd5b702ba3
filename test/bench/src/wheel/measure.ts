import { drain, drainByStopwatch } from "./drain.js";
import { GcWatch } from "./gc-watch.js";
import { type Implementation, implementations } from "./queues/implementations.js";
import { Life, type PhaseTimes } from "./life.js";
import { createWorkload } from "./loads.js";
import type { Figures, Sample, Subject } from "./sample.js";
import type { TimerQueue } from "./queues/timer-queue.js";
import { nextTime, type Workload } from "./workload.js";

const SEED = 20_240_229;

/** Lives of each kind with a small queue before the real ones, so that the code is compiled. */
const WARM_UP_LIVES = 2;
const WARM_UP_COUNT = 20_000;

/** With fewer timers, garbage collections change the memory more than the timers do. */
export const FEWEST_FOR_BYTES = 500_000;

/**
 * The queues of the warm-up. If they were freed, the C library would make new arrays from their pages, which are
 * already resident.
 */
const kept: Life[] = [];

/** A queue and everything that a life of it needs. */
interface Trial {
  readonly implementation: Implementation;
  readonly queue: TimerQueue<unknown>;
  readonly workload: Workload;
}

/** The figures of a life whose speed is not measured. */
interface Footprint {
  bytesPerTimer: number | null;
  worstPollMs: number | null;
}

/**
 * One repetition, in a process that does nothing else, so that the code of the loops meets one class of queues. After
 * the warm-up a queue's first life gives memory and the longest poll, its second one the times: neither disturbs the
 * other, and the queue is one that has held as many timers before, as in a service that runs for months. In the first
 * life most of an insert's time is the system's, which finds a page for every 4 KiB that are written for the first
 * time.
 *
 * @param collectGarbage what `--expose-gc` gives
 * @throws BrokenQueueError if the queue did not do its work
 */
export async function measure({ impl, n, load }: Subject, collectGarbage: () => void): Promise<Sample> {
  const implementation: Implementation = implementations[impl];
  warmUp(implementation, createWorkload(load, Math.min(n, WARM_UP_COUNT), SEED));

  const first = { implementation, queue: implementation.create(), workload: createWorkload(load, n, SEED) };
  const footprint = measureFootprint(first, collectGarbage);

  const watch = new GcWatch();
  const second = { ...first, workload: nextTime(first.workload) };
  const life = lifeOf(second);
  // Here, because the memory that was just reserved would make the collector run in the middle of the first phase.
  collectGarbage();
  const startedMs = performance.now();
  const times = life.live({ drain });
  const gcMaxMs = await watch.longestPauseMs(startedMs, performance.now());
  watch.stop();

  const figures = { ...speeds(second, times), ...footprint, gcMaxMs };
  return { figures, notRun: reasons(second) };
}

function lifeOf({ implementation, queue, workload }: Trial): Life {
  return new Life(queue, implementation, workload);
}

function warmUp(implementation: Implementation, workload: Workload): void {
  for (let round = 0; round < WARM_UP_LIVES; round++) {
    const queue = implementation.create();
    const clocked = lifeOf({ implementation, queue, workload });
    clocked.live({ drain: drainByStopwatch });
    const timed = lifeOf({ implementation, queue, workload: nextTime(workload) });
    timed.live({ drain });
    kept.push(clocked, timed);
  }
}

function measureFootprint(trial: Trial, collectGarbage: () => void): Footprint {
  const settledRss = (): number => {
    collectGarbage();
    collectGarbage();
    return process.memoryUsage.rss();
  };
  const life = lifeOf(trial);
  const rssBefore = settledRss();
  let grownBytes = 0;
  let worstPollMs: number | null = null;
  life.live({
    onInserted: () => (grownBytes = settledRss() - rssBefore),
    drain: (queue, log, span) => (worstPollMs = drainByStopwatch(queue, log, span)),
  });
  const { count } = trial.workload;
  const bytesPerTimer = count < FEWEST_FOR_BYTES ? null : grownBytes / count;
  return { bytesPerTimer, worstPollMs };
}

type Speeds = Pick<Figures, "insertNs" | "cancelNs" | "rescheduleNs" | "fireNs" | "totalNs">;

function speeds({ implementation, workload }: Trial, times: PhaseTimes): Speeds {
  const { count, cancels, moves, swaps } = workload;
  const swapped = swaps.rounds * swaps.order.length;
  const allMs = times.insertMs + times.moveMs + times.cancelMs + times.fireMs;
  return {
    insertNs: nsPer(times.insertMs, count + swapped),
    cancelNs: nsPer(times.cancelMs, cancels.length + swapped),
    rescheduleNs: implementation.obeysClock ? nsPer(times.moveMs, moves.places.length) : null,
    fireNs: implementation.obeysClock ? nsPer(times.fireMs, count - cancels.length) : null,
    totalNs: implementation.obeysClock ? nsPer(allMs, count + swapped) : null,
  };
}

function nsPer(ms: number, operations: number): number | null {
  return operations === 0 ? null : (ms * 1e6) / operations;
}

function reasons({ implementation, workload }: Trial): string[] {
  const { count, moves, cancels, swaps } = workload;
  const found: string[] = [];
  if (!implementation.obeysClock) found.push("reschedule, fire, total, poll: it goes by the real clock");
  else if (moves.places.length === 0) found.push("reschedule: no part of this load");
  if (cancels.length + swaps.rounds === 0) found.push("cancel: no part of this load");
  if (count < FEWEST_FOR_BYTES)
    found.push(`bytes: under ${FEWEST_FOR_BYTES} timers it drowns in the garbage collector's`);
  return found;
}
