import type { BootId } from "@tickwheel/core";
import { HANDLER_SESSIONS } from "../../sql/handler-session-name.js";
import type { Statement } from "../../connection/session.js";

/**
 * Ends the transactions that handlers of dead nodes have left open: a process that is stopped or cut off holds their
 * locks for as long as it likes, and the tasks that run again would wait for them. None of them could complete its
 * task: the node's death is final.
 */
export const endHandlerSessions: Statement<{ owners: readonly BootId[] }, boolean> = {
  name: "end_handler_sessions",
  sql: () => `
    SELECT pg_terminate_backend(s.pid) AS ended FROM (${HANDLER_SESSIONS}) s WHERE s.owner = ANY ($1::text[])`,
  values: ({ owners }) => [owners],
  read: (row) => row.ended as boolean,
};
