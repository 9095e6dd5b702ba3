import type { Migration } from "./migration.js";

/**
 * Where all tables are published (`FOR ALL TABLES`), Postgres refuses to update and delete in one without a primary key, unless the whole
 * old row tells which it was: a primary key would burden every completion. Partitions do not inherit that, so each gets it when it is made,
 * and upkeep gives it to those that older nodes make.
 *
 * And the schema notes from here on the oldest migration that a node must know.
 */
export const replicaIdentity: Migration = {
  name: "ReplicaIdentity1763830000000",
  steps: [
    {
      sql: `
        CREATE TABLE IF NOT EXISTS @compatibility (
          only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
          oldest_migration bigint NOT NULL
        );
        INSERT INTO @compatibility (oldest_migration) VALUES (0) ON CONFLICT DO NOTHING;`,
    },
    { sql: "ALTER TABLE @tally REPLICA IDENTITY FULL" },
    { sql: "ALTER TABLE @history REPLICA IDENTITY FULL" },
    { sql: "ALTER TABLE @journal REPLICA IDENTITY FULL" },
    { sql: "ALTER TABLE # REPLICA IDENTITY FULL", eachPartitionOf: "history" },
    { sql: "ALTER TABLE # REPLICA IDENTITY FULL", eachPartitionOf: "journal" },
  ],
};
