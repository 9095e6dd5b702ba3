import type { CreateOutcome, RejectedCreate } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** The outcome of one task of a request, with the task that it wrote or why it wrote none. */
export type StoredOutcome = { outcome: CreateOutcome; id: string } | RejectedCreate;
export interface EndedRequest {
  slot: number;
  namespace: string;
  key: string;
  /** Null: nothing was written, and the key becomes free again. */
  outcomes: readonly StoredOutcome[] | null;
}

/** Keeps a request's outcomes under its idempotency key, or gives the key back, in the transaction that began it. */
export const endIdempotentRequest: Statement<EndedRequest, never> = {
  name: "end_idempotent_request",
  sql: (schema) => `
    WITH given_back AS (
      DELETE FROM ${schema}.idempotency WHERE slot = $1 AND namespace = $2 AND key = $3 AND $4::json IS NULL
    ), kept AS (
      UPDATE ${schema}.idempotency SET outcomes = $4::json
       WHERE slot = $1 AND namespace = $2 AND key = $3 AND $4::json IS NOT NULL
    )
    SELECT WHERE false`,
  values: ({ slot, namespace, key, outcomes }) => [slot, namespace, key, outcomes && JSON.stringify(outcomes)],
  read: (row) => row as never,
};
