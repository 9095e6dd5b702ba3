import type { EpochMs, HintCursor } from "@tickwheel/core";

/**
 * The window begins this much before now: what is overdue for longer is the sweep's, so a backlog is not read over and
 * over.
 */
const LOOK_BACK_MS = 10_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * [level-triggered], [window-load]: where a load of the window begins. Always at the same distance from now, never
 * where the load before it ended: a row that is committed late, or moved to an earlier time, lies behind that place.
 */
export function windowStart(dbNow: EpochMs): HintCursor {
  return { dueAt: Math.floor(dbNow) - LOOK_BACK_MS, id: FIRST_ID };
}
