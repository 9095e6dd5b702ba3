import type { Statement } from "../../connection/session.js";

/** Marks the place in the transaction to which a judged merge goes back if what it comes to does not fit. */
export const beginMergeTrial: Statement<null, never> = {
  name: "begin_merge_trial",
  sql: () => "SAVEPOINT tickwheel_merge",
  values: () => [],
  read: (row) => row as never,
};
