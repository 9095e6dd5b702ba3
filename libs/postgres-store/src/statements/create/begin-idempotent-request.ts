import type { EpochMs } from "@tickwheel/core";
import { asOf, parameters } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

export interface IdempotentRequest {
  slot: number;
  namespace: string;
  key: string;
  bodyHash: string;
  asOf: EpochMs | null;
}

const [p, values] = parameters<IdempotentRequest>()({
  asOf,
  slot: ({ slot }) => slot,
  namespace: ({ namespace }) => namespace,
  key: ({ key }) => key,
  bodyHash: ({ bodyHash }) => bodyHash,
});

/**
 * Takes an idempotency key. Answers a row if the key was free, or was taken more than 24 hours ago; no row if another
 * request has it. On the unique index it waits for a request in flight under the same key.
 */
export const beginIdempotentRequest: Statement<IdempotentRequest, true> = {
  name: "begin_idempotent_request",
  sql: (schema) => `
    INSERT INTO ${schema}.idempotency AS i (slot, namespace, key, body_hash, created_at)
    VALUES (${p.slot}, ${p.namespace}, ${p.key}, ${p.bodyHash}, ${now(p.asOf)})
    ON CONFLICT (slot, namespace, key) DO UPDATE
       SET body_hash = excluded.body_hash, created_at = excluded.created_at, outcomes = NULL
     WHERE i.created_at <= excluded.created_at - interval '24 hours'
    RETURNING true AS taken`,
  values,
  read: () => true,
};
