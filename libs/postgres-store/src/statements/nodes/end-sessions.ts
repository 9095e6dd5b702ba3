import type { BootId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Ends the sessions of a node that hold a row of the cluster's, which is what its name in them, the boot id, is for. No
 * time-out of the server ends a backend whose paused client does not read its reply, and such a one may hold the node
 * row.
 *
 * The name alone is not enough: behind a pooler of transactions a session keeps it when somebody else goes on with it
 * who has none. Nobody but nodes locks or writes these tables; an application's transaction reads them at most.
 */
export const endSessions: Statement<{ bootId: BootId }, boolean> = {
  name: "end_sessions",
  sql: (schema) => `
    SELECT pg_terminate_backend(a.pid) AS ended FROM pg_stat_activity a
     WHERE a.application_name = $1 AND a.datname = current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid()
       AND EXISTS (SELECT FROM pg_locks l
                    WHERE l.pid = a.pid AND l.granted AND l.mode <> 'AccessShareLock'
                      AND l.relation IN ('${schema}.node'::regclass, '${schema}.heartbeat'::regclass, '${schema}.term'::regclass))`,
  values: ({ bootId }) => [bootId],
  read: (row) => row.ended as boolean,
};
