/**
 * What became of a changed task at the undo. `UNDONE`: it is as it was. `WITHOUT_RESULT`: it is, but for its result,
 * which was too large to be remembered. `DUE_MEANWHILE`: it would have come due since,
 * and was left. `KEY_TAKEN`: another live task has its key. `STARTED`: it runs. `HAS_RUN`: it has run since. `TOUCHED`:
 * somebody else has changed it since. `GONE`: it is past its retention. `LOCKED`: others held it for six rounds.
 */
export const UNDO_OUTCOMES = [
  "UNDONE",
  "WITHOUT_RESULT",
  "DUE_MEANWHILE",
  "KEY_TAKEN",
  "STARTED",
  "HAS_RUN",
  "TOUCHED",
  "GONE",
  "LOCKED",
] as const;
export type UndoOutcome = (typeof UNDO_OUTCOMES)[number];

/** How a changed task stands to its operation. `CHANGED`: no undo has looked at it. */
export const TASK_OUTCOMES = ["CHANGED", ...UNDO_OUTCOMES] as const;
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];
