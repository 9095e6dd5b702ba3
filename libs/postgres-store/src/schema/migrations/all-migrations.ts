import type { Migration } from "./migration.js";

/**
 * All migrations after the first schema, which is made whole in one transaction. A new migration is added here and
 * nowhere else.
 */
export const MIGRATIONS: readonly Migration[] = [];
