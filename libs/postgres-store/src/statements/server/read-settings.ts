import type { StoreSettings } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * The settings on which promises stand. They are those of this session: a role or a database may have its own.
 *
 * Among the sessions that receive the server's log, those of logical slots are no standbys, and a base backup is none
 * either. A role without the right to see more counts the rows of others, but not their states.
 */
export const readSettings: Statement<object, StoreSettings> = {
  name: "server_settings",
  sql: () => `
    SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit,
      current_setting('synchronous_standby_names') AS standby_names,
      greatest(0, (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup')
                - (SELECT count(*) FROM pg_replication_slots WHERE slot_type = 'logical' AND active))::float8 AS standbys`,
  values: () => [],
  read: (row) => ({
    fsync: row.fsync as string,
    fullPageWrites: row.full_page_writes as string,
    synchronousCommit: row.synchronous_commit as string,
    synchronousStandbyNames: row.standby_names as string,
    standbys: Number(row.standbys),
  }),
};
