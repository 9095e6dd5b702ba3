import type { ExecutionRef } from "@tickwheel/core";
import { EXECUTION_SETTING, handlerSessionName, markOf } from "../../sql/handler-session-name.js";
import type { Statement } from "../../connection/session.js";

/** A handler that outlives its time-out may take this long to end its transaction by itself. */
const IDLE_GRACE_MS = 5_000;

/**
 * Names a handler's session after its task until its own transaction ends, and limits how long that transaction may be
 * idle. The limit is the task's time-out and a little more; after that the handler cannot complete the task any more. A
 * stricter limit set by the application stays.
 *
 * The limit is for transactions that nobody can end by name: the leader works under another database role, or there is
 * no leader. (A shorter limit would cut off a handler that waits for another service's answer, or whose loop is
 * blocked, although its node is alive.)
 */
export const markHandlerSession: Statement<ExecutionRef & { timeoutMs: number }, true> = {
  name: "mark_handler_session",
  sql: () => `
    SELECT set_config('application_name', $1, true), set_config('${EXECUTION_SETTING}', $3, true),
           CASE WHEN given.idle_limit > interval '0' AND given.idle_limit < $2::float8 * interval '1 millisecond' THEN NULL
                ELSE set_config('idle_in_transaction_session_timeout', $2::float8::bigint::text, true) END
      FROM (SELECT current_setting('idle_in_transaction_session_timeout')::interval AS idle_limit) given`,
  values: (execution) => [
    handlerSessionName(execution),
    Math.min(Math.ceil(execution.timeoutMs) + IDLE_GRACE_MS, LONGEST_SETTING_MS),
    markOf(execution),
  ],
  read: () => true,
};

/** Whether the transaction is still the one that was marked for this execution. */
export const isStillMarked: Statement<ExecutionRef, boolean> = {
  name: "is_still_marked",
  sql: () => `SELECT current_setting('${EXECUTION_SETTING}', true) IS NOT DISTINCT FROM $1::text AS marked`,
  values: (execution) => [markOf(execution)],
  read: (row) => row.marked as boolean,
};

/** Settings in milliseconds are 32-bit integers. */
const LONGEST_SETTING_MS = 2 ** 31 - 1;
