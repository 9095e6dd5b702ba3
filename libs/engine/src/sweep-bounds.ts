import type { DueReply, EpochMs, TypeId } from "@tickwheel/core";

/** For each type, when the last sweep of it began that found fewer tasks than it might have: everything due by then was seen. */
export type SweepBounds = ReadonlyMap<TypeId, EpochMs>;

/**
 * Where the next sweep of a type may begin to look: `lookbackMs` before the last complete one, which is room for commits that come
 * late. Null, look at everything: there was none yet. Rows that lie below it all the same are the guard's.
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
