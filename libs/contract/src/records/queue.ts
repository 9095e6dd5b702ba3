import { TASK_STATES } from "@tickwheel/core";
import { PAYLOAD } from "../input/payload-input.js";
import {
  flag,
  id,
  inCode,
  instant,
  integer,
  json,
  list,
  nullable,
  object,
  optional,
  record,
  said,
  string,
  words,
} from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

/** A task as its consumer gets it. */
export const pulledTask = object("PulledTask", {
  id: id("UUIDv7; the same for every attempt, so an effect can be made once by it."),
  type: string(),
  key: nullable(string("Null: it has none.")),
  payload: inCode(json(PAYLOAD), { type: "Payload" }),
  scheduledAt: instant("When it was to run, as asked for."),
  dueAt: instant("When it was due: its scheduled time, or after a failed attempt the next try."),
  createdAt: instant(),
  attempt: integer("From 1."),
  maxAttempts: integer("Attempts before it is dead."),
  fence: integer(
    "Raised by each claim; a system that can refuse an older one is safe from a consumer that comes too late.",
  ),
  batchId: nullable(id("The batch that it is a member of; null: of none.")),
});

export const claim = record("Claim", {
  token: string("Names this attempt in the calls about it: 64 characters that need no escape in an address."),
  leaseUntil: instant("Until then the task is the consumer's, by the clock of the database."),
  task: pulledTask,
});
export type ClaimView = ValueOf<typeof claim>;

export const claimPage = record("ClaimPage", {
  claims: said(list(claim), "Oldest first; empty: none came within the time."),
  paused: optional(flag("The type or its namespace is paused, so there are none.")),
});

export const leaseExtended = record("LeaseExtended", {
  leaseUntil: instant("Until then the task is the consumer's, by the clock of the database."),
});

export const claimEnd = record("ClaimEnd", {
  state: said(
    words(TASK_STATES, "TaskState"),
    "What became of the task: `succeeded`; `scheduled`: it is tried again; `dead`; `cancelled`: somebody had asked for it.",
  ),
  dueAt: nullable(instant("When it is tried again; null: it is not.")),
});
export type ClaimEndView = ValueOf<typeof claimEnd>;

const heldClaim = object("HeldClaim", {
  taskId: id(),
  consumer: string("As it calls itself, else the id of its API key."),
  claimedAt: instant(),
  leaseUntil: instant("One that has passed ends within about a second."),
});

export const consumerPage = record("ConsumerReport", {
  claims: said(list(heldClaim), "The oldest claims first, at most 100."),
  waitingHere: integer("Calls that wait for tasks of the type on the node that was asked."),
});
export type ConsumerReport = ValueOf<typeof consumerPage>;

export const rotatedSecret = record("RotatedSecret", { id: integer("The number of the new secret, 1 to 255.") });
