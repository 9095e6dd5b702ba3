import type { Statement } from "../../connection/session.js";
import { readJson } from "../../sql/task-rows.js";
import type { StoredOutcome } from "./end-idempotent-request.js";

export interface FoundRequest {
  bodyHash: string;
  outcomes: StoredOutcome[];
}

/** The committed request under an idempotency key: one probe of the primary key. */
export const findIdempotentRequest: Statement<{ slot: number; namespace: string; key: string }, FoundRequest> = {
  name: "find_idempotent_request",
  sql: (schema) => `
    SELECT body_hash, outcomes::text AS outcomes FROM ${schema}.idempotency
     WHERE slot = $1 AND namespace = $2 AND key = $3 AND outcomes IS NOT NULL`,
  values: ({ slot, namespace, key }) => [slot, namespace, key],
  read: (row) => ({
    bodyHash: row.body_hash as string,
    outcomes: readJson(row.outcomes) as unknown as StoredOutcome[],
  }),
};
