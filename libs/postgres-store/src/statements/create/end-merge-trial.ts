import type { Statement } from "../../connection/session.js";

/** Ends a trial: its mark is gone, and what was not undone stays. */
export const endMergeTrial: Statement<null, never> = {
  name: "end_merge_trial",
  sql: () => "RELEASE SAVEPOINT tickwheel_merge",
  values: () => [],
  read: (row) => row as never,
};
