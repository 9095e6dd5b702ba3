import type { Migration } from "./migration.js";

/**
 * What lists need so that a rare type costs what a common one does: the finished tasks of a type, newest first, and the dead ones, which stay
 * in the live table. A finished task pays for that with the place in the index of owners, which told whether a dead node is still named: the
 * labels of nodes that are gone now have a table of their own. To a leader of the last release that question is a scan, which times out.
 */
export const lists: Migration = {
  name: "Lists1763840000000",
  steps: [
    { index: "task_dead", on: "task", as: "(type_id, id) WHERE state = 3" },
    { index: "history_type", on: "history", as: "(type_id, id)" },
    {
      sql: `CREATE TABLE IF NOT EXISTS @former_node (
        boot_id bigint PRIMARY KEY,
        label text NOT NULL,
        forgotten_at timestamptz(3) NOT NULL
      )`,
    },
    { sql: "DROP INDEX IF EXISTS @history_owner" },
  ],
};
