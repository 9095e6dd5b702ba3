import type { EpochMs, HintCursor } from "@tickwheel/core";

/**
 * The window begins this much before now. Tasks that are overdue for longer are left to the sweep, so a backlog is not
 * read over and over.
 */
const LOOK_BACK_MS = 10_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * [level-triggered], [window-load]: where a load of the window begins. It is always the same distance from now, never
 * the end of the load before: a row that is committed late, or moved to an earlier time, lies behind that end.
 */
export function windowStart(dbNow: EpochMs): HintCursor {
  return { dueAt: Math.floor(dbNow) - LOOK_BACK_MS, id: FIRST_ID };
}
