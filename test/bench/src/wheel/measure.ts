import { drain, drainByStopwatch } from "./drain.js";
import { GcWatch } from "./gc-watch.js";
import { type Implementation, implementations } from "./implementations.js";
import { Life, type PhaseTimes } from "./life.js";
import { createWorkload, lastTickOf } from "./loads.js";
import type { Figures, Sample, Subject } from "./sample.js";
import type { Workload } from "./workload.js";

const SEED = 20_240_229;

/** Lives of each kind with a small queue before the real ones, so that the code is compiled. */
const WARM_UP_LIVES = 2;
const WARM_UP_COUNT = 20_000;

/** With fewer timers the growth of memory drowns in what the collector leaves or takes. */
export const FEWEST_FOR_BYTES = 500_000;

/** What lived to warm up. If it were freed, the C library would make new arrays of its pages, which are resident. */
const kept: Life[] = [];

/** A subject with all that its lives need. */
interface Trial {
  readonly implementation: Implementation;
  readonly workload: Workload;
  readonly lastTick: number;
}

/** What is measured in a life whose speed is not. */
interface Footprint {
  bytesPerTimer: number | null;
  worstPollMs: number | null;
}

/**
 * One repetition, in a process that does nothing else, so that the code of the loops meets one class of queues. After
 * the warm-up a first life gives memory and the longest poll, a second one the times: neither disturbs the other.
 *
 * @param collectGarbage what `--expose-gc` gives
 * @throws BrokenQueueError if the queue did not do its work
 */
export async function measure({ impl, n, load }: Subject, collectGarbage: () => void): Promise<Sample> {
  const implementation: Implementation = implementations[impl];
  const lastTick = lastTickOf(load);
  warmUp({ implementation, lastTick, workload: createWorkload(load, Math.min(n, WARM_UP_COUNT), SEED) });

  const trial = { implementation, lastTick, workload: createWorkload(load, n, SEED) };
  const footprint = measureFootprint(trial, collectGarbage);

  const watch = new GcWatch();
  const life = new Life(implementation, trial.workload);
  // Here, because what was reserved just now would make the collector run in the middle of the first phase.
  collectGarbage();
  const startedMs = performance.now();
  const times = life.live({ drain: (queue, log) => drain(queue, log, lastTick) });
  const gcMaxMs = await watch.longestPauseMs(startedMs, performance.now());
  watch.stop();

  const figures = { ...speeds(trial, times), ...footprint, gcMaxMs };
  return { figures, notRun: reasons(trial) };
}

function warmUp({ implementation, workload, lastTick }: Trial): void {
  for (let round = 0; round < WARM_UP_LIVES; round++) {
    const [timed, clocked] = [new Life(implementation, workload), new Life(implementation, workload)];
    timed.live({ drain: (queue, log) => drain(queue, log, lastTick) });
    clocked.live({ drain: (queue, log) => void drainByStopwatch(queue, log, lastTick) });
    kept.push(timed, clocked);
  }
}

function measureFootprint({ implementation, workload, lastTick }: Trial, collectGarbage: () => void): Footprint {
  const settledRss = (): number => {
    collectGarbage();
    collectGarbage();
    return process.memoryUsage.rss();
  };
  const life = new Life(implementation, workload);
  const rssBefore = settledRss();
  let grownBytes = 0;
  let worstPollMs: number | null = null;
  life.live({
    onInserted: () => (grownBytes = settledRss() - rssBefore),
    drain: (queue, log) => (worstPollMs = drainByStopwatch(queue, log, lastTick)),
  });
  const bytesPerTimer = workload.count < FEWEST_FOR_BYTES ? null : grownBytes / workload.count;
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
