import type { Migration } from "./migration.js";

/** Keys that a start made are told from those that people made: another one of a start replaces them. */
export const firstKeys: Migration = {
  name: "FirstKeys1795100000000",
  steps: [{ sql: "ALTER TABLE @api_key ADD COLUMN IF NOT EXISTS is_first boolean NOT NULL DEFAULT false" }],
};
