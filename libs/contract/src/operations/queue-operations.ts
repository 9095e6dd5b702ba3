import type { ErrorCode } from "@tickwheel/core";
import { claimInput, completeInput, extendInput, failInput } from "../input/claim-input.js";
import { claimEnd, claimPage, consumerPage, leaseExtended, rotatedSecret } from "../records/queue.js";
import { string } from "../shapes/parts.js";
import { group } from "./operation.js";

const ONE_CLAIM: readonly ErrorCode[] = ["CLAIM_NOT_FOUND", "LEASE_LOST"];

/** Pull queues: consumers in any language fetch tasks and say what became of them. */
export const QUEUE_OPERATIONS = group({
  tag: "Queues",
  text: "Consumers in any language fetch tasks of types whose delivery is `pull`, each under a lease, and say what became of them.",
  path: { type: string("The type of the tasks."), token: string("The token that the claim answered.") },
  rows: {
    claim: {
      summary: "Fetches due tasks of a type for a consumer, and waits for the first one as long as asked",
      role: "worker",
      rest: "POST /v1/queues/:type/claims",
      body: claimInput,
      isPoll: true,
      answers: { 200: claimPage },
      errors: ["TYPE_NOT_FOUND", "TYPE_DELIVERY_CONFLICT"],
      repeat: "refused",
      graphql: { mutation: "claimTasks", body: "spread" },
    },
    extend: {
      summary: "Extends the lease of a claim; refused once somebody has asked to cancel its task",
      role: "worker",
      rest: "POST /v1/claims/:token/extend",
      body: extendInput,
      answers: { 200: leaseExtended },
      errors: [...ONE_CLAIM, "CANCEL_REQUESTED"],
      repeat: "same",
      graphql: { mutation: "extendClaim", body: "spread" },
    },
    complete: {
      summary: "Says that a claim's task has succeeded; the same again answers the same",
      role: "worker",
      rest: "POST /v1/claims/:token/complete",
      body: completeInput,
      bodyKind: "result",
      answers: { 200: claimEnd },
      errors: ONE_CLAIM,
      repeat: "same",
      graphql: { mutation: "completeClaim", body: "spread" },
    },
    fail: {
      summary: "Says that an attempt has failed: the task is tried again after its backoff, or is dead",
      role: "worker",
      rest: "POST /v1/claims/:token/fail",
      body: failInput,
      answers: { 200: claimEnd },
      errors: ONE_CLAIM,
      repeat: "refused",
      graphql: { mutation: "failClaim", body: "spread" },
    },
    release: {
      summary: "Gives a claim back: its task is due at once, and the attempt does not count",
      role: "worker",
      rest: "POST /v1/claims/:token/release",
      answers: { 200: claimEnd },
      errors: ONE_CLAIM,
      repeat: "refused",
      graphql: { mutation: "releaseClaim" },
    },
    consumers: {
      summary: "Shows who works on tasks of a type, and how many calls wait for them",
      role: "viewer",
      rest: "GET /v1/types/:type/consumers",
      answers: { 200: consumerPage },
      errors: ["TYPE_NOT_FOUND"],
      repeat: "reads",
      graphql: { query: "consumers" },
    },
    rotateSecret: {
      summary: "Makes a new secret for the tokens of claims; older tokens are good until their leases are over",
      role: "admin",
      cluster: true,
      rest: "POST /v1/claims/secret/rotate",
      answers: { 200: rotatedSecret },
      repeat: "refused",
      graphql: { mutation: "rotateClaimSecret" },
    },
  },
});
