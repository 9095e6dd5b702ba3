import { BATCH_STATES, type BatchStopReason, MAX_NAMED_LEFTOVERS } from "@tickwheel/core";
import {
  extended,
  flag,
  id,
  instant,
  integer,
  list,
  nullable,
  object,
  record,
  said,
  share,
  string,
  words,
} from "../shapes/parts.js";
import type { Shape, ValueOf } from "../shapes/shape.js";
import { bulkResult, taskItemResult, taskState } from "./task.js";

const STOP_REASONS: readonly BatchStopReason[] = ["REQUESTED", "FAIL_FAST", "TOO_MANY_MEMBERS"];

/** A task at a batch's end, as an answer tells it. */
export const followUpTask = object("FollowUp", {
  type: string(),
  taskId: nullable(id("Null: it is not made yet, or never will be.")),
});

const followUp = (when: string): Shape<{ type: string; taskId: string | null } | null> =>
  nullable(said(followUpTask, `Made when every member has ${when}; null: nothing is.`));

export const batchState = words(BATCH_STATES, "BatchState", {
  filling: "Members can be added.",
  open: "It is sealed, and members of it live.",
  complete: "Every member has ended.",
  cancelled: "Somebody cancelled it.",
});

export const batch = record("Batch", {
  id: id(),
  name: nullable(string()),
  state: said(
    batchState,
    "`filling`: members can be added. `open`: it is sealed, and members live. `complete`: every member has ended. `cancelled`: somebody cancelled it.",
  ),
  counts: said(
    object("BatchCounts", {
      total: integer(),
      live: integer(),
      succeeded: integer(),
      dead: integer(),
      cancelled: integer(),
      expired: integer(),
    }),
    "Members by how they ended; `live` ones have not.",
  ),
  progress: nullable(share("The share of its members that have ended; null: it is filling, and has none.")),
  shards: nullable(integer("How many shards it was split into; null: it was not.")),
  createdAt: instant(),
  createdBy: string(),
  sealedAt: nullable(instant("Null: it is filling, or was cancelled before it was sealed.")),
  finishedAt: nullable(instant("When it became complete or was cancelled.")),
  deadlineAt: nullable(instant("When it is looked who is not done; null: never.")),
  overdue: flag("At the deadline a member had not succeeded."),
  leftovers: nullable(
    said(
      object("Leftovers", {
        count: integer(),
        named: list(object("Leftover", { id: id(), type: string(), key: nullable(string()), state: taskState }), {
          maxItems: MAX_NAMED_LEFTOVERS,
        }),
      }),
      "Members that had not succeeded at the deadline, some by name; null: it was not looked yet.",
    ),
  ),
  failFast: flag("The first member that ends dead stops it."),
  retryDead: flag("Members that are dead at the deadline are retried once."),
  stop: nullable(
    said(
      object("BatchStop", {
        reason: words(STOP_REASONS, "BatchStopReason", {
          REQUESTED: "Somebody cancelled it.",
          FAIL_FAST: "A member ended dead, and it is to stop then.",
          TOO_MANY_MEMBERS: "Its members have spawned more than a batch may have.",
        }),
        at: instant(),
        by: string(),
      }),
      "Why it takes back its members; null: it does not.",
    ),
  ),
  isStopping: flag("Members that have not started are being taken back, and the others are being asked."),
  retryingSince: nullable(instant("Since when its dead members are being retried; null: they are not.")),
  onComplete: followUp("ended"),
  onSuccess: followUp("succeeded"),
});
export type Batch = ValueOf<typeof batch>;

export const batchPage = record("BatchPage", { items: list(batch), nextCursor: nullable(string()) });
export type BatchPage = ValueOf<typeof batchPage>;

export const addMembersResult = extended("AddMembersResult", bulkResult, { batch });
export type AddMembersResult = ValueOf<typeof addMembersResult>;

/** What GraphQL answers to it; REST tells a replay in a header of the answer. */
export const addedMembers = object("AddMembersResult", {
  batch,
  replayed: flag(
    "The idempotency key had been used for the same call: nothing was written, and this is its first answer again.",
  ),
  results: list(taskItemResult),
});
