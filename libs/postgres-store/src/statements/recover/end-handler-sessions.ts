import type { BootId } from "@tickwheel/core";
import { HANDLER_SESSIONS } from "../../sql/handler-session-name.js";
import type { Statement } from "../../connection/session.js";

/**
 * Ends the transactions that handlers of dead nodes have left open. A process that is stopped or cut off would hold
 * their locks without limit, and the tasks that run again would wait for them. None of these transactions could
 * complete its task, since the node's death is final.
 */
export const endHandlerSessions: Statement<{ owners: readonly BootId[] }, boolean> = {
  name: "end_handler_sessions",
  sql: () => `
    SELECT pg_terminate_backend(s.pid) AS ended FROM (${HANDLER_SESSIONS}) s WHERE s.owner = ANY ($1::text[])`,
  values: ({ owners }) => [owners],
  read: (row) => row.ended as boolean,
};
