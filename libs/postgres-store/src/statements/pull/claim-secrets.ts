import type { ClaimSecret, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { instant, now, wholeMs } from "../../sql/sql-fragments.js";

/** The secrets of claims' tokens, the newest first. */
export const readSecrets: Statement<null, ClaimSecret> = {
  name: "read_claim_secrets",
  sql: (schema) => `
    SELECT id, value, ${wholeMs("made_at")}::float8 AS made_ms FROM ${schema}.claim_secret ORDER BY made_at DESC, id DESC`,
  values: () => [],
  read: (row) => ({ id: Number(row.id), value: row.value as Buffer, madeAt: Number(row.made_ms) }),
};

/** Lets no other secret be made or retired until the commit. Reads wait for nobody. */
export const lockSecrets: Statement<null, never> = {
  name: "lock_claim_secrets",
  sql: (schema) => `LOCK TABLE ${schema}.claim_secret IN SHARE ROW EXCLUSIVE MODE`,
  values: () => [],
  read: (row) => row as never,
};

/**
 * Makes a secret under the number behind the newest one's; behind 255 comes 1. One that has that number still goes: by
 * then it is the oldest of 255.
 */
export const addSecret: Statement<{ value: Uint8Array; asOf: EpochMs | null }, number> = {
  name: "add_claim_secret",
  sql: (schema) => `
    INSERT INTO ${schema}.claim_secret AS s (id, value, made_at)
    SELECT coalesce((SELECT n.id % 255 + 1 FROM ${schema}.claim_secret n ORDER BY n.made_at DESC, n.id DESC LIMIT 1), 1), $2::bytea, ${now("$1")}
        ON CONFLICT (id) DO UPDATE SET value = excluded.value, made_at = excluded.made_at
    RETURNING s.id`,
  values: ({ value, asOf }) => [asOf, value],
  read: (row) => Number(row.id),
};

/** Deletes secrets behind which another one was made so long ago. */
export const retireSecrets: Statement<{ before: EpochMs }, number> = {
  name: "retire_claim_secrets",
  sql: (schema) => `
    DELETE FROM ${schema}.claim_secret s
     WHERE EXISTS (SELECT FROM ${schema}.claim_secret n WHERE n.made_at > s.made_at AND n.made_at < ${instant("$1")})
    RETURNING s.id`,
  values: ({ before }) => [before],
  read: (row) => Number(row.id),
};
