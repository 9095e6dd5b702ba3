import type { Migration } from "./migration.js";

/**
 * All that came after the first schema, which is made whole in one transaction. A new one is added here, and nothing
 * else needs to know of it.
 */
export const MIGRATIONS: readonly Migration[] = [];
