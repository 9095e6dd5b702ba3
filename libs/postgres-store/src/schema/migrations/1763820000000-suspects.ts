import type { Migration } from "./migration.js";

const STATEMENTS = [
  "ALTER TABLE @node ADD COLUMN IF NOT EXISTS blocked json",
  `CREATE TABLE IF NOT EXISTS @suspect (
  task_id uuid PRIMARY KEY,
  kills smallint NOT NULL,
  killed_at timestamptz(3) NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS @quarantine (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  task_id uuid,
  owner bigint,
  fence integer,
  since timestamptz(3)
) WITH (fillfactor = 50)`,
  "INSERT INTO @quarantine DEFAULT VALUES ON CONFLICT DO NOTHING",
];

/**
 * What is known of tasks that ran in a blocked event loop when their node died: the loop's state on the dead node's row, a row for each
 * suspect, and the one place in which suspects run. Nothing of it is on the way of a task that never crashed.
 */
export const suspects: Migration = {
  name: "Suspects1763820000000",
  steps: STATEMENTS.map((sql) => ({ sql })),
};
