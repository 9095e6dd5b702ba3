import type { Statement } from "../../connection/session.js";

/** Undoes what the transaction has written since the trial began, and gives back the locks that it took since. */
export const undoMergeTrial: Statement<null, never> = {
  name: "undo_merge_trial",
  sql: () => "ROLLBACK TO SAVEPOINT tickwheel_merge",
  values: () => [],
  read: (row) => row as never,
};
