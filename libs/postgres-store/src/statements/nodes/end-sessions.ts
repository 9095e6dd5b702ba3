import type { BootId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Ends a node's sessions that hold a lock in the cluster's tables. It finds them by their name, which is the boot id. A
 * backend whose paused client does not read its reply may hold the node row, and no time-out of the server ends it.
 *
 * The name alone is not enough: behind a transaction pooler a session keeps its name when a client without a name of
 * its own takes it over. Only nodes lock or write these tables; an application's transaction reads them at most.
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
