import { type TaskSeries, dueAtOf } from "./contestants/contestant-commands.js";
import type { Runs } from "./contestants/run-log.js";

/** How late tasks started, in milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** What became of a series of tasks. */
export interface Verdict {
  readonly started: number;
  /** Neither started nor in the store any more. */
  readonly lost: number;
  /** Started before their due time. */
  readonly early: number;
  /** Starts beyond a task's first. */
  readonly duplicates: number;
  /** The lateness of the first starts; null: there was none. */
  readonly latenessMs: Lateness | null;
}

/** How exactly the wall clock and the monotonic clock are related to each other. */
const CLOCK_ERROR_MS = 0.1;

/**
 * Judges the starts of a series by the host's clock.
 * @param offsetMs what makes epoch milliseconds of monotonic ones
 * @param pending tasks of the series that the store still holds
 */
export function judge(runs: readonly Runs[], series: TaskSeries, held: { offsetMs: number; pending: number }): Verdict {
  const firstStart = new Float64Array(series.count).fill(Number.POSITIVE_INFINITY);
  let starts = 0;
  for (const { numbers, atMonoMs } of runs)
    for (const [i, n] of numbers.entries()) {
      const index = n - series.first;
      if (index < 0 || index >= series.count) continue;
      starts++;
      firstStart[index] = Math.min(firstStart[index]!, atMonoMs[i]! + held.offsetMs);
    }
  const lateMs = firstStart
    .map((at, index) => at - dueAtOf(series, series.first + index))
    .filter((late) => Number.isFinite(late))
    .sort();
  return {
    started: lateMs.length,
    lost: Math.max(0, series.count - lateMs.length - held.pending),
    early: lateMs.filter((late) => late < -CLOCK_ERROR_MS).length,
    duplicates: starts - lateMs.length,
    latenessMs: latenessOf(lateMs),
  };
}

/** @param sorted ascending */
export function latenessOf(sorted: Float64Array): Lateness | null {
  if (sorted.length === 0) return null;
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
