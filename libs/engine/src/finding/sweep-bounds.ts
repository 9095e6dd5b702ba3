import type { DueReply, EpochMs, SchedulerOptions, TypeId } from "@tickwheel/core";

/** For each type, when its last sweep with a short page began: every task that was due by then was seen. */
export type SweepBounds = ReadonlyMap<TypeId, EpochMs>;

/**
 * The lower bound of a type's next sweep: `lookbackMs` before the last complete one, which leaves room for late
 * commits. Null (look at everything): there was none yet. The full sweep finds rows that still lie below it.
 *
 * @param dbNow the database's time; a bound from before the clock was set back must not hide what is due now
 */
export function sweepFrom(
  bounds: SweepBounds,
  typeId: TypeId,
  { dbNow, lookbackMs }: { dbNow: EpochMs; lookbackMs: number },
): EpochMs | null {
  const complete = bounds.get(typeId);
  return complete === undefined ? null : Math.floor(Math.min(complete, dbNow) - lookbackMs);
}

/** The bounds after a sweep: types with a short page move on, the others stay where they were. */
export function boundsAfter(bounds: SweepBounds, reply: Pick<DueReply, "now" | "shortTypes">): SweepBounds {
  const next = new Map(bounds);
  for (const typeId of reply.shortTypes) next.set(typeId, reply.now);
  return next;
}

/** Most looks go back by this share of `sweepLookbackMs`. */
const SHORT_SHARE = 1 / 12;
/** Long looks may take this share of the time, but come at least once per this share of the full sweep's interval. */
const LONG_LOOK_TIME_SHARE = 1 / 50;
const LONG_LOOK_FULL_SWEEP_SHARE = 1 / 6;

/** How far back a sweep looks. */
export interface SweepLook {
  lookbackMs: number;
  isLong: boolean;
}

/**
 * The look of a sweep. While another session holds an old snapshot (a backup does, for hours), tasks that have run stay
 * in the index, and a look must pass them all: at 2,000 tasks a second 120,000 entries in a minute. So while looks are
 * slow, few of them go back all the way.
 */
export function sweepLook(isLong: boolean, { sweepLookbackMs }: Pick<SchedulerOptions, "sweepLookbackMs">): SweepLook {
  return { isLong, lookbackMs: isLong ? sweepLookbackMs : sweepLookbackMs * SHORT_SHARE };
}

/** How soon the next long look is due after one that took this long. */
export function longLookInMs(
  tookMs: number,
  { fullSweepIntervalMs }: Pick<SchedulerOptions, "fullSweepIntervalMs">,
): number {
  return Math.min(tookMs / LONG_LOOK_TIME_SHARE, fullSweepIntervalMs * LONG_LOOK_FULL_SWEEP_SHARE);
}
