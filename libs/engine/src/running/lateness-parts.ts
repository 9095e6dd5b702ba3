import type { LatenessParts } from "@tickwheel/core";
import type { ClaimedWay } from "../held/executions.js";
import { NEVER } from "../waiting/found-task.js";

/** A start, and the way that led to it. */
export interface StartedWay {
  way: ClaimedWay;
  /** Since when it has waited for a place, although it was claimed; 0: it has not. */
  placelessMonoMs: number;
  startMonoMs: number;
  /** Whole milliseconds from the later of due and created to the start. */
  latenessMs: number;
}

/**
 * Divides a start's lateness by the points that its task has passed since it was due. What happened before counts for
 * nothing: most tasks wait in the wheel, and are claimed, before they are due. Each point is rounded to a whole
 * millisecond and is never before the one before it, so the parts are not negative and add up to the lateness, whatever
 * the clocks say. The clock's error and the node that it was taken from are left to the caller.
 *
 * @example
 * // Due at 100 and known long before; out of the wheel at 102; a claim was possible at 103 and sent at once;
 * // answered at 106, started at 106.
 * latenessPartsOf({ way, placelessMonoMs: 0, startMonoMs: 106, latenessMs: 6 })
 * // { known: 0, wheel: 2, place: 0, claim: 4, start: 0, … }
 */
export function latenessPartsOf({ way, placelessMonoMs, startMonoMs, latenessMs }: StartedWay): LatenessParts {
  const latenessParts: LatenessParts = {
    known: 0,
    wheel: 0,
    place: 0,
    claim: 0,
    start: 0,
    clockErrorUs: 0,
    takenFrom: null,
  };
  if (latenessMs === 0) return latenessParts;
  const { found, claim } = way;
  const { sentMonoMs, answeredMonoMs } = claim;
  const offeredMonoMs = found.offeredMonoMs === NEVER ? sentMonoMs : Math.min(found.offeredMonoMs, sentMonoMs);
  const dueMonoMs = startMonoMs - latenessMs;
  const known = point(found.knownMonoMs - dueMonoMs, 0, latenessMs);
  const ready = point(found.readyMonoMs - dueMonoMs, known, latenessMs);
  const offered = point(offeredMonoMs - dueMonoMs, ready, latenessMs);
  const sent = point(sentMonoMs - dueMonoMs, offered, latenessMs);
  const answered = point(answeredMonoMs - dueMonoMs, sent, latenessMs);
  const placeless = placelessMonoMs === 0 ? latenessMs : point(placelessMonoMs - dueMonoMs, answered, latenessMs);
  latenessParts.known = known;
  latenessParts.wheel = ready - known;
  latenessParts.place = sent - offered + (latenessMs - placeless);
  latenessParts.claim = offered - ready + (answered - sent);
  latenessParts.start = placeless - answered;
  return latenessParts;
}

/**
 * A point of the way in whole milliseconds after the due time, not before the one before it and not after the start.
 */
function point(afterDueMs: number, before: number, latenessMs: number): number {
  return Math.min(latenessMs, Math.max(before, Math.round(afterDueMs)));
}
