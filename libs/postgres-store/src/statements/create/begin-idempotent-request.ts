import type { EpochMs } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

export interface IdempotentRequest {
  slot: number;
  namespace: string;
  key: string;
  bodyHash: string;
  asOf: EpochMs | null;
}

/**
 * Takes an idempotency key. Answers a row if the key was free, or was taken more than 24 hours ago; no row if another
 * request has it. On the unique index it waits for a request in flight under the same key.
 */
export const beginIdempotentRequest: Statement<IdempotentRequest, true> = {
  name: "begin_idempotent_request",
  sql: (schema) => `
    INSERT INTO ${schema}.idempotency AS i (slot, namespace, key, body_hash, created_at)
    VALUES ($2, $3, $4, $5, ${now("$1")})
    ON CONFLICT (slot, namespace, key) DO UPDATE
       SET body_hash = excluded.body_hash, created_at = excluded.created_at, outcomes = NULL
     WHERE i.created_at <= excluded.created_at - interval '24 hours'
    RETURNING true AS taken`,
  values: ({ slot, namespace, key, bodyHash, asOf }) => [asOf, slot, namespace, key, bodyHash],
  read: () => true,
};
