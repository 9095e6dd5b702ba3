import type { EpochMs } from "@tickwheel/core";
import { ExcludedDays } from "../instants/excluded-days.js";
import { Instants } from "../instants/instants.js";
import { jitterMs } from "../instants/jitter.js";
import type { DelaySpec, ScheduleDefinition } from "../definition/schedule.js";
import type { PlanningState } from "../planning/planning.js";

/** A forecast looks at so many schedules at most, those that are looked at soonest. */
export const MAX_SCHEDULES_AHEAD = 200;
/** It counts so many of their instants at most, of all of them together. */
export const MAX_INSTANTS_AHEAD = 10_000;
/** And so many of each. */
export const MAX_INSTANTS_OF_SCHEDULE = 2_000;

/** What a forecast has to know of a schedule. */
export interface ScheduleAhead {
  definition: ScheduleDefinition;
  planning: Pick<PlanningState, "plannedUntil" | "pause"> & { isFinished: boolean };
}

/** A time ahead, in buckets of one length. */
export interface TimeAhead {
  /** The first bucket begins here. */
  from: EpochMs;
  bucketMs: number;
  buckets: number;
}

/** What schedules will make in a time ahead. */
export interface MadeAhead {
  /** Tasks by bucket, all of them. */
  counts: number[];
  /** A bound was met: there may be more. */
  isCut: boolean;
}

/**
 * Counts the tasks that schedules will make in the time ahead, beside those that are there already. A schedule that is
 * paused or finished makes none. Each instant counts, as if no run were ever so long that it skips the next one; a
 * fixed delay counts as if its runs took no time. So it is the most that there may be, and no exact figure. An instant
 * that has passed without its task is not among them.
 *
 * Pure. It stops behind each instant, so that a caller that works for others, too, may let the loop go on. Cost: a few
 * microseconds for an instant, {@link MAX_INSTANTS_AHEAD} of them at most.
 */
export function* madeAhead(schedules: readonly ScheduleAhead[], time: TimeAhead): Generator<void, MadeAhead> {
  const { from, bucketMs, buckets } = time;
  const made: MadeAhead = {
    counts: Array<number>(buckets).fill(0),
    isCut: schedules.length > MAX_SCHEDULES_AHEAD,
  };
  const until = from + buckets * bucketMs;
  let left = MAX_INSTANTS_AHEAD;
  for (const schedule of schedules.slice(0, MAX_SCHEDULES_AHEAD)) {
    const most = Math.min(left, MAX_INSTANTS_OF_SCHEDULE);
    let counted = 0;
    for (const dueAt of dueTimes(schedule, from)) {
      if (dueAt > until) break;
      if (counted === most) {
        made.isCut = true;
        break;
      }
      counted += 1;
      made.counts[Math.min(buckets - 1, Math.floor((dueAt - from) / bucketMs))]! += 1;
      yield;
    }
    left -= counted;
  }
  return made;
}

/** When the tasks are due that a schedule will make, rising: later than `from`. */
function dueTimes({ definition, planning }: ScheduleAhead, from: EpochMs): Iterable<EpochMs> {
  if (planning.pause !== null || planning.isFinished) return [];
  const { spec } = definition;
  return spec.kind === "after"
    ? ofDelay(definition, spec, Math.max(from, planning.plannedUntil))
    : ofInstants(definition, from, planning.plannedUntil);
}

function* ofInstants(definition: ScheduleDefinition, from: EpochMs, plannedUntil: EpochMs): Generator<EpochMs, void> {
  const instants = new Instants(definition);
  let at = instants.firstDueAfter(from, plannedUntil);
  while (at !== null) {
    yield instants.dueAt(at);
    at = instants.nextToRun(at);
  }
}

/** @param last when the run that is ahead or goes on ends, at the earliest */
function* ofDelay(
  { id, exclude, timeZone, window, policies }: ScheduleDefinition,
  { afterMs }: DelaySpec,
  last: EpochMs,
): Generator<EpochMs, void> {
  const excluded = new ExcludedDays(exclude, timeZone);
  let at = excluded.firstFreeFrom(last + afterMs);
  while (window.endsAt === null || at < window.endsAt) {
    const dueAt = at + jitterMs({ scheduleId: id, at, mostMs: policies.jitterMs });
    yield dueAt;
    at = excluded.firstFreeFrom(dueAt + afterMs);
  }
}
