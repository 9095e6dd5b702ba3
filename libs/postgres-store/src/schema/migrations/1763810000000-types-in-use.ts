import type { Migration } from "./migration.js";

/** When a type was last seen in use, and since when it is dropped. Null of a type from before: it counts as used from the first look on. */
export const typesInUse: Migration = {
  name: "TypesInUse1763810000000",
  steps: [
    { sql: "ALTER TABLE @type ADD COLUMN IF NOT EXISTS used_at timestamptz(3)" },
    { sql: "ALTER TABLE @type ADD COLUMN IF NOT EXISTS dropped_at timestamptz(3)" },
  ],
};
