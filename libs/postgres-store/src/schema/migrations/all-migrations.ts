import { reads } from "./1763800000000-reads.js";
import { typesInUse } from "./1763810000000-types-in-use.js";
import { suspects } from "./1763820000000-suspects.js";
import { replicaIdentity } from "./1763830000000-replica-identity.js";
import { lists } from "./1763840000000-lists.js";
import { boundedJournal } from "./1795000000000-bounded-journal.js";
import { firstKeys } from "./1795100000000-first-keys.js";
import type { Migration } from "./migration.js";

/** All but the first schema, which is made whole in one transaction. A new one is added here, and nothing else needs to know of it. */
export const MIGRATIONS: readonly Migration[] = [
  ...[reads, typesInUse, suspects],
  ...[replicaIdentity, lists, boundedJournal, firstKeys],
];
