import {
  BATCH_STATES,
  type BatchStopReason,
  MAX_BATCH_NAME,
  MAX_NAMED_LEFTOVERS,
  MAX_SHARDS,
  TASK_STATES,
} from "@tickwheel/core";
import { MAX_MEMBERS_OF_CALL } from "@tickwheel/calls";
import {
  answer,
  input,
  instant,
  integer,
  list,
  nullable,
  number,
  oneOf,
  ref,
  type SchemaObject,
  string,
} from "./schema-parts.js";

const id = { type: "string", format: "uuid" };
const flag = (description: string): SchemaObject => ({ type: "boolean", default: false, description });
const NO_CONFLICTS = "without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`";
const followUp = (when: string): SchemaObject => ({
  allOf: [ref("TaskInput")],
  description: `Made once, ${when}; its \`delay\` counts from then. A task without \`key\`, ${NO_CONFLICTS}. Default: nothing is.`,
});
const members = { maxItems: MAX_MEMBERS_OF_CALL, description: `Tasks ${NO_CONFLICTS}.` };

/** The inputs about batches. */
export const BATCH_INPUTS = {
  BatchInput: input({
    name: {
      type: "string",
      pattern: `^[A-Za-z0-9._:-]{1,${MAX_BATCH_NAME}}$`,
      description: "One batch of the namespace has it, as long as it is kept. Default: none.",
    },
    tasks: list(ref("TaskInput"), members),
    shards: {
      oneOf: [{ type: "integer", minimum: 1, maximum: MAX_SHARDS }, oneOf(["nodes"])],
      description:
        "Makes so many members of the one task in `tasks`, which has no `key`; `nodes`: one for each live node that runs its type.",
    },
    onComplete: followUp("when every member has ended"),
    onSuccess: followUp("when every member has succeeded, also after retries of dead ones"),
    deadline: {
      oneOf: [{ type: "number", minimum: 0 }, string],
      description:
        "When it is looked who is not done: a delay from now in milliseconds or such as `4h`, or an ISO 8601 instant with offset; at most 100 years from now. With one that has passed it is looked at once. Default: never.",
    },
    failFast: flag("The first member that ends dead stops the batch. Not together with `retryDead`."),
    retryDead: flag("Members that are dead at the `deadline` are retried once."),
    seal: flag("It takes no further members, and completes when these have ended."),
  }),
  MembersInput: input({ tasks: list(ref("TaskInput"), { ...members, minItems: 1 }) }, ["tasks"]),
};

const STOP_REASONS: readonly BatchStopReason[] = ["REQUESTED", "FAIL_FAST", "TOO_MANY_MEMBERS"];
const endTask = (when: string): SchemaObject => ({
  ...nullable(answer({ type: string, taskId: nullable(id) })),
  description: `Made when every member has ${when}; \`taskId\`: null until then.`,
});

/** The answers about batches. */
export const BATCH_ANSWERS = {
  Batch: answer({
    id,
    name: nullable(string),
    state: {
      ...oneOf(BATCH_STATES),
      description:
        "`filling`: members can be added. `open`: it is sealed, and members live. `complete`: every member has ended. `cancelled`: somebody cancelled it.",
    },
    counts: {
      ...answer({
        total: integer,
        live: integer,
        succeeded: integer,
        dead: integer,
        cancelled: integer,
        expired: integer,
      }),
      description: "Members by how they ended; `live` ones have not.",
    },
    progress: {
      ...nullable({ ...number, minimum: 0, maximum: 1 }),
      description: "The share of its members that have ended; null: it is filling, and has none.",
    },
    shards: { ...nullable(integer), description: "How many shards it was split into; null: it was not." },
    createdAt: instant,
    createdBy: string,
    sealedAt: nullable(instant),
    finishedAt: { ...nullable(instant), description: "When it became complete or was cancelled." },
    deadlineAt: nullable(instant),
    overdue: { type: "boolean", description: "At the deadline a member had not succeeded." },
    leftovers: {
      ...nullable(
        answer({
          count: integer,
          named: list(answer({ id, type: string, key: nullable(string), state: oneOf(TASK_STATES) }), {
            maxItems: MAX_NAMED_LEFTOVERS,
          }),
        }),
      ),
      description: "Members that had not succeeded at the deadline, some by name; null: it was not looked yet.",
    },
    failFast: { type: "boolean" },
    retryDead: { type: "boolean" },
    stop: {
      ...nullable(answer({ reason: oneOf(STOP_REASONS), at: instant, by: string })),
      description: "Why it takes back its members; null: it does not.",
    },
    isStopping: {
      type: "boolean",
      description: "Members that have not started are being taken back, and the others are being asked.",
    },
    retryingSince: { ...nullable(instant), description: "Since when its dead members are being retried." },
    onComplete: endTask("ended"),
    onSuccess: endTask("succeeded"),
  }),
  BatchPage: answer({ items: list(ref("Batch")), nextCursor: nullable(string) }),
  AddMembersResult: { allOf: [ref("BulkResult"), answer({ batch: ref("Batch") })] },
};
