import type { Statement } from "../../connection/session.js";

/** Marks the place to which a page goes back if another's key or lock is in its way. */
export const beginAct = plain("begin_act", "SAVEPOINT tickwheel_act");

/** Undoes what was done since the mark, and gives back the locks that were taken since; the mark stays. */
export const undoAct = plain("undo_act", "ROLLBACK TO SAVEPOINT tickwheel_act");

/** Takes the mark away. Rows that were not undone stay. */
export const endAct = plain("end_act", "RELEASE SAVEPOINT tickwheel_act");

/** From now on the page waits for nobody. (0 would be: for ever.) */
export const waitNoMore = plain("wait_no_more", "SET LOCAL lock_timeout = 1");

function plain(name: string, text: string): Statement<null, never> {
  return { name, sql: () => text, values: () => [], read: (row) => row as never };
}
