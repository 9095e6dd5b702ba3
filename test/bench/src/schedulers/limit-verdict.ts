import type { ClusterLimit } from "./contestants/contestant.js";
import type { HandlerRuns } from "./contestants/handler-work.js";

/** A limit of all workers together, and how long each handler takes under it. */
export interface LimitCell {
  readonly limit: ClusterLimit;
  readonly handlerMs: number;
}

/** What was seen of a cell between two moments, by the host's monotonic clock. */
export interface LimitVerdict {
  /** Starts. */
  readonly perSecond: number;
  /** The share of what the limit allows. */
  readonly reachedPercent: number;
  /** The most handlers that ran at one moment, from the first start on. */
  readonly mostAtOnce: number;
  /** The most starts within a second, from the first start on. */
  readonly mostInASecond: number;
  /** The share of the starts that the worker with the most had, and that of the worker with the fewest. */
  readonly largestShare: number;
  readonly smallestShare: number;
}

/** When a cell was measured, by the host's monotonic clock. */
export interface MeasuredTime {
  readonly fromMonoMs: number;
  readonly toMonoMs: number;
}

const SECOND_MS = 1_000;
/**
 * A second of starts may come at once after a rest, and within half a second more than a second's start: what we
 * promise.
 */
const MOST_OF_A_RATE = 2.5;

/** For example `5 at once, 10 ms` or `100/s`. */
export function cellName({ limit, handlerMs }: LimitCell): string {
  return "maxRunning" in limit ? `${limit.maxRunning} at once, ${handlerMs} ms` : `${limit.perSecond}/s`;
}

/** Starts per second that the limit allows, if a place is never free. */
export function allowedPerSecond({ limit, handlerMs }: LimitCell): number {
  return "maxRunning" in limit ? (limit.maxRunning * SECOND_MS) / handlerMs : limit.perSecond;
}

/**
 * Judges what the handlers of all workers took down of a cell. A start that is later than the measured time does not
 * count: the limit is lifted then.
 * @throws Error if more ran at once, or started within a second, than the limit allows
 */
export function judgeLimit(workers: readonly HandlerRuns[], cell: LimitCell, measured: MeasuredTime): LimitVerdict {
  const { fromMonoMs, toMonoMs } = measured;
  const startsOf = workers.map(({ starts }) => starts.atMonoMs.filter((at) => at < toMonoMs));
  const endsOf = workers.map(({ ends }) => ends.atMonoMs.filter((at) => at < toMonoMs));
  const counts = startsOf.map((starts) => starts.filter((at) => at >= fromMonoMs).length);
  const count = counts.reduce((sum, each) => sum + each, 0);
  const perSecond = (count / (toMonoMs - fromMonoMs)) * SECOND_MS;
  const starts = sortedOf(startsOf);
  const verdict = {
    perSecond,
    reachedPercent: (perSecond / allowedPerSecond(cell)) * 100,
    mostAtOnce: mostAtOnce(starts, sortedOf(endsOf)),
    mostInASecond: mostWithin(starts, SECOND_MS),
    largestShare: count === 0 ? 0 : Math.max(...counts) / count,
    smallestShare: count === 0 ? 0 : Math.min(...counts) / count,
  };
  complain(cell, verdict);
  return verdict;
}

function complain(cell: LimitCell, { mostAtOnce: atOnce, mostInASecond }: LimitVerdict): void {
  const { limit } = cell;
  if ("maxRunning" in limit && atOnce > limit.maxRunning)
    throw new Error(`${cellName(cell)}: ${atOnce} ran at once, more than the limit`);
  if ("perSecond" in limit && mostInASecond > limit.perSecond * MOST_OF_A_RATE)
    throw new Error(`${cellName(cell)}: ${mostInASecond} started within a second, more than the limit`);
}

/** The most that ran at one moment. Both ascending; what ends at the moment of a start does not run beside it. */
function mostAtOnce(starts: Float64Array, ends: Float64Array): number {
  let ended = 0;
  let most = 0;
  for (const [started, at] of starts.entries()) {
    while (ended < ends.length && ends[ended]! <= at) ended++;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
}

/** The most of these moments, ascending, within any such time. */
function mostWithin(moments: Float64Array, ms: number): number {
  let first = 0;
  let most = 0;
  for (const [last, at] of moments.entries()) {
    while (moments[first]! <= at - ms) first++;
    most = Math.max(most, last + 1 - first);
  }
  return most;
}

function sortedOf(parts: readonly Float64Array[]): Float64Array {
  return Float64Array.from(parts.flatMap((part) => [...part])).sort();
}
