import type { LatenessPartsMs } from "@tickwheel/core";
import type { ClaimedWay } from "../held/executions.js";

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
 * the clocks say.
 *
 * @example
 * // Due at 100 and known long before; out of the wheel at 102; a claim was possible at 103 and sent at once;
 * // answered at 106, started at 106.
 * partsOf({ way, placelessMonoMs: 0, startMonoMs: 106, latenessMs: 6 })
 * // { known: 0, wheel: 2, place: 0, claim: 4, start: 0 }
 */
export function partsOf({ way, placelessMonoMs, startMonoMs, latenessMs }: StartedWay): LatenessPartsMs {
  const { found, sentMonoMs, answeredMonoMs } = way;
  const dueMonoMs = startMonoMs - latenessMs;
  const point = (monoMs: number, before: number): number =>
    Math.min(latenessMs, Math.max(before, Math.round(monoMs - dueMonoMs)));
  const known = point(found.knownMonoMs, 0);
  const ready = point(found.readyMonoMs, known);
  const offered = point(Math.min(found.offeredMonoMs, sentMonoMs), ready);
  const sent = point(sentMonoMs, offered);
  const answered = point(answeredMonoMs, sent);
  const placeless = placelessMonoMs === 0 ? latenessMs : point(placelessMonoMs, answered);
  return {
    known,
    wheel: ready - known,
    place: sent - offered + (latenessMs - placeless),
    claim: offered - ready + (answered - sent),
    start: placeless - answered,
  };
}
