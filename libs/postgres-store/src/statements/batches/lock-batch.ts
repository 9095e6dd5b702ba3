import type { BatchState } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";

interface BatchId {
  namespace: string;
  id: string;
}

/**
 * Shares a lock of a batch's row until the commit, and answers the state that stands meanwhile. Transactions that
 * complete, seal or cancel the batch wait; others who add members do not. No row: the namespace has no such batch.
 *
 * Plan: one probe of the primary key.
 */
export const shareBatch: Statement<BatchId, BatchState> = {
  name: "share_batch",
  sql: (schema) => lockText(schema, "FOR KEY SHARE"),
  values: ({ namespace, id }) => [namespace, id],
  read: (row) => row.state as BatchState,
};

/**
 * The same, and a transaction that asks for this lock waits for others who have it: those who add members one after the
 * other. Others who add are not held up, so that one of them who has shared the row before may ask for it.
 */
export const queueAtBatch: Statement<BatchId, BatchState> = {
  ...shareBatch,
  name: "queue_at_batch",
  sql: (schema) => lockText(schema, "FOR NO KEY UPDATE"),
};

/** Locks a batch's row for a change of its state: it waits for everybody who adds members or retries one. */
export const lockBatch: Statement<BatchId, BatchState> = {
  ...shareBatch,
  name: "lock_batch",
  sql: (schema) => lockText(schema, "FOR UPDATE"),
};

function lockText(schema: QuotedSchema, lock: string): string {
  return `SELECT b.state FROM ${schema}.batch b WHERE b.namespace = $1 AND b.id = $2::uuid ${lock}`;
}

/** The same for a review, of whatever namespace. No row: others work at it, and a later look finds it again. */
export const lockBatchForReview: Statement<{ id: string }, BatchState> = {
  name: "lock_batch_for_review",
  sql: (schema) => `SELECT b.state FROM ${schema}.batch b WHERE b.id = $1::uuid FOR UPDATE SKIP LOCKED`,
  values: ({ id }) => [id],
  read: (row) => row.state as BatchState,
};
