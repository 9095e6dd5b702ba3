import type { HandlerStarted, RowChanged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { dueMonoMs } from "../history/lateness.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";

/** A sweep comes within its interval and takes its time. */
const SWEEP_INTERVALS = 1.2;

/** Which layer finds what. */
export const finderRules = {
  "wheel-finds-what-was-known": wheelFindsWhatWasKnown,
  "full-sweep-finds-what-lies-below": fullSweepFindsWhatLiesBelow,
} satisfies Rules;

/**
 * [window-load]: without faults, hand-overs included, a task that was committed a reload interval before it was due is
 * found by the wheel and by nothing else, unless at the very moment. A fault counts until a reload after everything is
 * as before.
 */
function wheelFindsWhatWasKnown(known: IndexedRun): Finding[] {
  const { reloadIntervalMs } = known.options;
  return findingsIn(foundStarts(known), ({ start, scheduling, dueAt }) => {
    if (start.finder === "wheel" || dueAt - scheduling.at < reloadIntervalMs) return null;
    const due = dueMonoMs(known.faults, { start, scheduling, dueAt });
    // The wheel waits for the error of the clock's estimate; a sweep that comes just then does not.
    if (start.monoMs - due <= known.options.lateness.normal.p99Ms) return null;
    const since = due - reloadIntervalMs;
    if (metFault(known, { start, scheduling }, { from: since - reloadIntervalMs, to: start.monoMs })) return null;
    const message = `the ${start.finder} found a task that was known ${dueAt - scheduling.at} ms before it was due`;
    return finding(start.taskId, message, [scheduling, start]);
  });
}

/**
 * [level-triggered]: without faults the full sweep alone finds only rows that were committed below the sweep's soft
 * bound. It may come upon another row first, before the next sweep had a chance to.
 */
function fullSweepFindsWhatLiesBelow(known: IndexedRun): Finding[] {
  const { sweepLookbackMs, sweepIntervalMs } = known.options;
  const sweepMs = SWEEP_INTERVALS * sweepIntervalMs;
  return findingsIn(foundStarts(known), ({ start, scheduling, dueAt }) => {
    if (start.finder !== "full-sweep" || dueAt < scheduling.at + sweepMs - sweepLookbackMs) return null;
    const due = dueMonoMs(known.faults, { start, scheduling, dueAt });
    if (start.monoMs - due <= sweepMs || metFault(known, { start, scheduling }, { from: due, to: start.monoMs }))
      return null;
    return finding(start.taskId, "the full sweep found a task that the sweep should have found", [scheduling, start]);
  });
}

interface FoundStart {
  start: HandlerStarted;
  scheduling: RowChanged;
}

/** Starts whose finder and whose row's coming to be due are on record. */
function foundStarts({ executions }: IndexedRun): (FoundStart & { dueAt: number })[] {
  return executions.flatMap(({ starts, scheduling, claims }) => {
    const start = starts[0];
    if (!start || start.finder === null || scheduling === null) return [];
    return { start, scheduling, dueAt: claims[0]?.after?.dueAt ?? start.dueAt };
  });
}

/** A locked row is a fault of its own task only, and only until the commit that made it due. */
function metFault(
  { faults }: IndexedRun,
  { start, scheduling }: FoundStart,
  { from, to }: { from: number; to: number },
): boolean {
  return faults.some(({ fault, beganMonoMs, endedMonoMs, recoveredMonoMs }) => {
    if (beganMonoMs > to || recoveredMonoMs < from) return false;
    return fault.name !== "row-lock" || (fault.taskId === start.taskId && endedMonoMs > scheduling.monoMs);
  });
}
