import type { ExecutionRef } from "@tickwheel/core";
import { HANDLER_SESSIONS, hexOf } from "../../sql/handler-session-name.js";
import type { Statement } from "../../connection/session.js";

/**
 * Ends the transactions of the task's earlier executions that hold locks which somebody waits for. If it ends any, it
 * also ends those of this execution, which would otherwise block the next one. Answers a row for each transaction; no
 * row where nobody waits for an earlier execution.
 *
 * It is run only when a repeated execution has timed out. It reads the sessions; it reads the locks only where there is
 * a transaction of an earlier execution.
 */
export const endBlockers: Statement<ExecutionRef, boolean> = {
  name: "end_blockers",
  sql: () => `
    WITH own AS MATERIALIZED (SELECT s.pid, s.fence FROM (${HANDLER_SESSIONS}) s WHERE s.task = $1 AND s.fence <= $2::integer),
    blocking AS MATERIALIZED (
      SELECT own.pid FROM own
       WHERE own.fence < $2::integer
         AND EXISTS (SELECT FROM (SELECT DISTINCT l.pid FROM pg_locks l WHERE NOT l.granted) waiting
                      WHERE own.pid = ANY (pg_blocking_pids(waiting.pid)))
    )
    SELECT pg_terminate_backend(own.pid) AS ended FROM own
     WHERE own.fence = $2::integer AND EXISTS (SELECT FROM blocking) OR own.pid IN (SELECT pid FROM blocking)`,
  values: ({ id, fence }) => [hexOf(id), fence],
  read: (row) => row.ended as boolean,
};
