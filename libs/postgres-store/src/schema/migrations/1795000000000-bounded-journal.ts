import type { Migration } from "./migration.js";

/**
 * A task's row notes what changes it while it waits, and an entry of its journal may stand for several. The journal is read in the order
 * of its entries, by an index that does all that the one over the tasks alone did.
 *
 * Both tables of tasks get their column at once: a retry of the last release reads whole rows of both as one relation.
 */
export const boundedJournal: Migration = {
  name: "BoundedJournal1795000000000",
  steps: [
    {
      sql: `
        ALTER TABLE @task ADD COLUMN IF NOT EXISTS notes jsonb;
        ALTER TABLE @history ADD COLUMN IF NOT EXISTS notes jsonb;`,
    },
    { sql: "ALTER TABLE @journal ADD COLUMN IF NOT EXISTS count integer" },
    { index: "journal_entry", on: "journal", as: "(task_id, seq)" },
    { sql: "DROP INDEX IF EXISTS @journal_task" },
  ],
};
