import type { DueReply, EpochMs, SchedulerOptions, TypeId } from "@tickwheel/core";

/**
 * For each type, when the last sweep of it began that found fewer tasks than it might have: everything due by then was
 * seen.
 */
export type SweepBounds = ReadonlyMap<TypeId, EpochMs>;

/**
 * Where the next sweep of a type may begin to look: `lookbackMs` before the last complete one, which is room for
 * commits that come late. Null, look at everything: there was none yet. Rows that lie below it all the same are the
 * guard's.
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

/** The bounds after a sweep: types whose probe came back short move on, the others stay where they were. */
export function boundsAfter(bounds: SweepBounds, reply: Pick<DueReply, "now" | "shortTypes">): SweepBounds {
  const next = new Map(bounds);
  for (const typeId of reply.shortTypes) next.set(typeId, reply.now);
  return next;
}

/** Most looks go back by this share of `sweepLookbackMs`. */
const SHORT_SHARE = 1 / 12;
/**
 * The long ones may take this share of the time, but come by this share of the guard's interval, whatever they take.
 */
const LONG_LOOK_TIME_SHARE = 1 / 50;
const LONG_LOOK_GUARD_SHARE = 1 / 6;

/** How far back a sweep looks. */
export interface SweepLook {
  lookbackMs: number;
  isLong: boolean;
}

/**
 * The look of a sweep. While another session holds an old snapshot (a backup does, for hours) nothing that was due and
 * has run leaves the index, and a look must pass by all of it: at 2,000 tasks a second 120,000 entries in a minute. So
 * where looks are slow, few of them go back all the way.
 */
export function sweepLook(isLong: boolean, { sweepLookbackMs }: Pick<SchedulerOptions, "sweepLookbackMs">): SweepLook {
  return { isLong, lookbackMs: isLong ? sweepLookbackMs : sweepLookbackMs * SHORT_SHARE };
}

/** How soon after a long look that took so long the next one is due. */
export function longLookInMs(tookMs: number, { guardIntervalMs }: Pick<SchedulerOptions, "guardIntervalMs">): number {
  return Math.min(tookMs / LONG_LOOK_TIME_SHARE, guardIntervalMs * LONG_LOOK_GUARD_SHARE);
}
