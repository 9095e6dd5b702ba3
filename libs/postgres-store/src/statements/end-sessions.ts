import type { BootId } from "@tickwheel/core";
import type { Statement } from "../session.js";

/**
 * Ends the sessions of a node, which carry its boot id as their name. No time-out of the server ends a backend whose paused client does
 * not read its reply, and such a one may hold the node row.
 */
export const endSessions: Statement<{ bootId: BootId }, boolean> = {
  name: "end_sessions",
  sql: () => `
    SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
     WHERE application_name = $1 AND datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`,
  values: ({ bootId }) => [bootId],
  read: (row) => row.ended as boolean,
};
