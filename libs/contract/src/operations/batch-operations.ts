import { batchInput, membersInput } from "../input/batch-input.js";
import { batchQuery, memberQuery } from "../queries/other-queries.js";
import { addedMembers, addMembersResult, batch, batchPage } from "../records/batch.js";
import { taskPage } from "../records/task.js";
import { id } from "../shapes/parts.js";
import { group } from "./operation.js";

/** What can be asked about batches. */
export const BATCH_OPERATIONS = group({
  tag: "Batches",
  text: "Makes, fills, seals, shows and cancels tasks that belong together, with what happens when all have ended.",
  path: { id: id("The batch's id.") },
  rows: {
    createBatch: {
      summary: "Makes a batch with its first members, all or nothing",
      role: "operator",
      rest: "POST /v1/batches",
      body: batchInput,
      bodyKind: "batch",
      answers: { 201: batch },
      errors: ["BATCH_EXISTS", "TASK_KEY_CONFLICT", "TYPE_DELIVERY_CONFLICT"],
      repeat: "refused",
      graphql: { mutation: "createBatch" },
    },
    batches: {
      summary: "Lists batches, the newest first",
      role: "viewer",
      rest: "GET /v1/batches",
      query: batchQuery,
      answers: { 200: batchPage },
      repeat: "reads",
      graphql: { query: "batches", filter: "BatchFilter" },
    },
    batch: {
      summary: "Shows a batch",
      role: "viewer",
      rest: "GET /v1/batches/:id",
      answers: { 200: batch },
      errors: ["BATCH_NOT_FOUND"],
      repeat: "reads",
      graphql: { query: "batch", orNull: true, text: "The batch, or null" },
    },
    addMembers: {
      summary: "Adds members to a batch that is filling; one bad item does not stop the rest",
      role: "operator",
      rest: "POST /v1/batches/:id/members",
      body: membersInput,
      bodyKind: "tasks",
      isOnce: true,
      answers: { 200: addMembersResult },
      errors: ["BATCH_NOT_FOUND", "BATCH_SEALED", "IDEMPOTENCY_KEY_REUSED"],
      repeat: "keyed",
      graphql: { mutation: "addBatchMembers", result: addedMembers, body: { list: "tasks" } },
    },
    members: {
      summary: "Lists a batch's members, live and finished, the oldest first",
      role: "viewer",
      rest: "GET /v1/batches/:id/members",
      query: memberQuery,
      answers: { 200: taskPage },
      errors: ["BATCH_NOT_FOUND"],
      repeat: "reads",
      graphql: { query: "batchMembers" },
    },
    sealBatch: {
      summary: "Seals a batch: it takes no members any more, and completes when all have ended",
      role: "operator",
      rest: "POST /v1/batches/:id/seal",
      answers: { 200: batch },
      errors: ["BATCH_NOT_FOUND", "BATCH_STATE_CONFLICT"],
      repeat: "same",
      graphql: { mutation: "sealBatch" },
    },
    cancelBatch: {
      summary: "Cancels a batch: what has not started is taken back, what runs is asked to stop",
      role: "operator",
      rest: "DELETE /v1/batches/:id",
      answers: { 200: batch },
      errors: ["BATCH_NOT_FOUND", "BATCH_STATE_CONFLICT"],
      repeat: "same",
      graphql: { mutation: "cancelBatch" },
    },
  },
});
