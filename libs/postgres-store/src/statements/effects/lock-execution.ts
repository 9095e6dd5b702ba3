import type { ExecutionRef } from "@tickwheel/core";
import { isMarkedFor } from "../../sql/handler-session-name.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { COMMIT_LIMIT_MS } from "../end/complete-tasks.js";

/**
 * Locks the task's row until the end of a handler's own transaction, if it is still this execution's. No row: it is
 * not. Until then nobody can end the execution; so the transaction may be idle for {@link COMMIT_LIMIT_MS} at most.
 *
 * The guard is the lock, not the look: it holds for the row's newest version after any wait, and from then on.
 */
export const lockExecution: Statement<ExecutionRef, true> = {
  name: "lock_execution",
  sql: (schema) => textOf(schema, "true"),
  values: ({ id, owner, fence }) => [id, owner, fence],
  read: () => true,
};

/** The same, and no row where the transaction is not the one that was marked for this execution. */
export const lockMarkedExecution: Statement<ExecutionRef, true> = {
  ...lockExecution,
  name: "lock_marked_execution",
  sql: (schema) => textOf(schema, isMarkedFor("t")),
};

function textOf(schema: QuotedSchema, condition: string): string {
  return `
    SELECT set_config('idle_in_transaction_session_timeout', '${COMMIT_LIMIT_MS}', true) AS set
      FROM ${schema}.task t
     WHERE t.id = $1 AND ${stateById("t")} = ${STATE.running} AND t.owner = $2 AND t.fence = $3 AND ${condition}
       FOR NO KEY UPDATE OF t`;
}
