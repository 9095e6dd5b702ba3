import { BROKER_KINDS, TASK_STATES, TERMINAL_REASONS } from "@tickwheel/core";
import { inputFields } from "../input/input-shape.js";
import { deliverInput } from "../input/task-input.js";
import { PAYLOAD } from "../input/payload-input.js";
import {
  either,
  flag,
  id,
  inCode,
  instant,
  integer,
  json,
  lackingInLists,
  list,
  nullable,
  number,
  object,
  optional,
  record,
  said,
  string,
  words,
} from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";
import { fault } from "./fault.js";
import { because, latenessParts, REPORT_FIELDS } from "./task-parts.js";

export const taskState = words(TASK_STATES, "TaskState");

/** Where a task is sent, as an answer tells it. */
export const delivery = object("Delivery", {
  kind: words(["webhook", ...BROKER_KINDS], "DeliveryKind"),
  url: optional(string("The address of a webhook. A viewer sees its origin alone, and no headers.")),
  headers: optional(inCode(json("An object of texts."), { type: "Record<string, string>" })),
  expectBody: optional(string(inputFields(deliverInput)["expectBody"]?.text)),
  to: optional(string("For brokers: the name of the target.")),
  subject: optional(string("For brokers: where in the target; absent: the target's own.")),
});

/** What every task tells, also where it is shown without what can be long. */
const SHORT_FIELDS = {
  id: id("UUIDv7, in lower case; the same as long as the task is kept."),
  namespace: string("The namespace of the application that owns it."),
  type: string("What is to be done, by the name that its handler has; such as `order.cancel`."),
  key: nullable(string("At most one live task of the type has it, such as an order's number; null: it has none.")),
  state: said(
    taskState,
    "Where it stands. `scheduled`: it waits for its time or its next try; `paused`: its countdown stands still; `running`: an attempt is under way. The others are ends, which a retry alone leaves.",
  ),
  reason: nullable(
    said(
      words(TERMINAL_REASONS),
      "Why it is dead or cancelled, such as `ATTEMPTS`: all of them failed; of `succeeded`: `SKIPPED` where its condition said no, else null.",
    ),
  ),
  scheduledAt: instant(
    "When it was to run, as asked for; at once: its creation. A resume moves it by the time that the task was paused, if it has not started.",
  ),
  dueAt: instant(
    "When it is due: its scheduled time, or after a failed attempt the next try. For a paused task: as it was at `pausedAt`.",
  ),
  remainingMs: nullable(number("What remains of a paused task's countdown, in milliseconds; null: it is not paused.")),
  pausedAt: nullable(
    instant("Since when it is paused, or was last changed while it is paused; null: it is not paused."),
  ),
  pausedMs: number("For how long it was paused before that, in milliseconds."),
  startDeadlineAt: nullable(
    instant("A task that has not started by then ends `expired`; null: it may start at any time."),
  ),
  createdAt: instant("When it was written, by the clock of the database."),
  claimedAt: nullable(instant("When a node last took it in order to run it; null: none has.")),
  startedAt: nullable(instant("When its last attempt started; null: none has.")),
  finishedAt: nullable(instant("When it ended; null: it has not.")),
  latenessMs: nullable(
    number("Milliseconds from the later of due and created to the start; null before the first start."),
  ),
  latenessParts,
  attempt: integer(
    "The number of its last attempt, from 1; 0: none has started. One that a crash or a snooze ended does not count.",
  ),
  maxAttempts: integer("Attempts before it is dead, 1 to 1,000; 3 unless its creator or its type says otherwise."),
  crashCount: integer("How many attempts ended with their node; these are no failed attempts."),
  priority: integer("0 first … 9, among tasks that are due together; 5 unless its creator or its type says otherwise."),
  version: integer("Raised by each change; a change may name the one that it is meant for."),
  fence: integer(
    "Raised by each claim; a system that can refuse an older one is safe from a node that comes too late.",
  ),
  fingerprint: nullable(
    string(
      "The fingerprint of `lastError`, 12 hex digits: errors that differ only in numbers, ids, times and the like have the same one; null: there is no error.",
    ),
  ),
  node: nullable(string("The label, `ip:pid`, of the node that runs it, or ran it last.")),
  continues: nullable(
    id("The task that had the key before this one and had already started when this one took it; null: there is none."),
  ),
  continuedBy: nullable(
    id("The latest task that took the key from this one after it had started; null: there is none."),
  ),
  batchId: nullable(id("The batch that it is a member of; null: of none.")),
  shard: nullable(
    said(
      object("Shard", { index: integer("0 to `total` - 1."), total: integer("How many there are, 1 to 1,000.") }),
      "Its place in a batch that was split into shards; null: it has none.",
    ),
  ),
  payloadVersion: nullable(
    integer("The version of its payload, as its creator's definition names it; null: it has none."),
  ),
  waitingFor: nullable(
    said(
      words(["HANDLER", "CONSUMER", "CAPACITY", "BREAKER", "PAUSE", "LIMIT"], "WaitingFor"),
      "Why a paused task, or one that is due, does not run; null: it runs, has ended, or is not due. `PAUSE`: it is paused; or it is due, and its type, its namespace or its key is. `CONSUMER`: no consumer has fetched it yet. `BREAKER`: the breaker of its type is open, or that of its host has put it off. `LIMIT`: a limit of its type or its namespace lets no more start just now.",
    ),
  ),
};

/** What a list tells of a task. */
export const TASK_FIELDS = {
  ...SHORT_FIELDS,
  payload: inCode(json(PAYLOAD), { type: "Payload" }),
  result: inCode(json("What its handler returned, digit for digit; null: nothing."), { type: "Result" }),
  lastError: nullable(
    string("The error of the last attempt that failed, with its stack, shortened; null: none has failed."),
  ),
  deliver: nullable(said(delivery, "Where it is sent; null: a handler runs it, or consumers do.")),
  tags: lackingInLists(said(list(string()), "What it belongs to, in the order in which it was given; empty: nothing.")),
  later: lackingInLists(
    said(list(instant()), "When the further tasks of its series are due, the next first; empty: there are none."),
  ),
};

/** That a caller lacks the right `payload`. */
export const payloadMasked = optional(
  flag("The caller lacks the right `payload`: payload, result and checkpoint are shown by their shape. Else absent."),
);

export const task = record("Task", {
  ...TASK_FIELDS,
  payloadMasked,
  checkpoint: optional(REPORT_FIELDS.checkpoint),
  progress: optional(REPORT_FIELDS.progress),
  because: optional(because),
});
export type Task = ValueOf<typeof task>;

export const reducedTask = record("ReducedTask", SHORT_FIELDS);
export type ReducedTask = ValueOf<typeof reducedTask>;

export const taskPage = record("TaskPage", {
  items: said(list(task), "At most `limit`; the page ends earlier with the task that reaches 2 MiB."),
  nextCursor: nullable(string("Null: there are no more tasks, however short the page is.")),
  incomplete: optional(
    flag("The budget of rows and time ended the look before the page was full: go on with the cursor."),
  ),
});
export type TaskPage = ValueOf<typeof taskPage>;

const CREATE_OUTCOMES = ["created", "existing", "refreshed", "replaced", "merged"] as const;

/** What GraphQL answers to a create; REST has the outcome in a header of the answer. */
export const taskResult = object("TaskResult", {
  outcome: words(CREATE_OUTCOMES, "CreateOutcome"),
  task,
  replayed: flag(
    "The idempotency key had been used for the same call: nothing was written, and this is its first answer again.",
  ),
});

export const taskItemResult = object("TaskItemResult", {
  index: integer(),
  status: words([...CREATE_OUTCOMES, "rejected"], "TaskItemStatus"),
  task: optional(
    said(
      either({ keyword: "anyOf", graphql: "first" }, task, reducedTask),
      "As the whole call left it: a task that a later item replaced is `cancelled`. For an item that is `reduced`, a `ReducedTask`.",
    ),
  ),
  reduced: optional(
    flag(
      "True behind the item that reaches 2 MiB of payloads and results: its task and those of further items leave out `payload`, `result`, `lastError`, `deliver`, `tags` and `later`. `GET /v1/tasks/{id}` shows them.",
    ),
  ),
  error: optional(object("TaskItemError", { code: string(), detail: string(), errors: list(fault) })),
});
export type TaskItemResult = ValueOf<typeof taskItemResult>;

export const bulkResult = record("BulkResult", { results: list(taskItemResult) });
export type BulkResult = ValueOf<typeof bulkResult>;

const CANCEL_OUTCOMES = ["cancelled", "cancel_requested"] as const;
export const cancelResult = record("CancelResult", { outcome: words(CANCEL_OUTCOMES, "CancelOutcome"), task });
export type CancelResult = ValueOf<typeof cancelResult>;

/** What GraphQL answers to a cancellation; REST has errors where there was nothing to cancel. */
export const cancelOutcome = object("CancelResult", {
  outcome: words([...CANCEL_OUTCOMES, "not_found", "too_late"], "CancelOutcome"),
  task: optional(task),
});

const itsTask = optional(
  said(task, "As it is now; absent where there is none, and behind the item that reaches 2 MiB of tasks."),
);

export const cancelledItem = object("CancelledItem", {
  id: string(),
  outcome: words([...CANCEL_OUTCOMES, "not_found", "too_late"], "CancelItemOutcome"),
  task: itsTask,
});

export const cancelManyResult = record("CancelManyResult", {
  results: list(cancelledItem),
});
export type CancelManyResult = ValueOf<typeof cancelManyResult>;

export const retriedItem = object("RetriedItem", {
  id: string(),
  outcome: words(["scheduled", "not_found", "state_conflict", "key_conflict"], "RetryItemOutcome"),
  task: itsTask,
});

export const retryManyResult = record("RetryManyResult", {
  results: list(retriedItem),
});
export type RetryManyResult = ValueOf<typeof retryManyResult>;

export const journalEntry = object("JournalEntry", {
  at: instant(),
  from: nullable(said(taskState, "Null: it was created.")),
  to: taskState,
  node: nullable(string()),
  fence: integer(),
  attempt: integer(),
  reason: nullable(string()),
  actor: nullable(string()),
  count: integer(
    "How many transitions it stands for: itself, and those since the entry before it that are folded into it.",
  ),
  startedAt: nullable(instant("For an end of an execution: when its handler was called.")),
  latenessParts,
  error: nullable(string("For an attempt that failed: its error, shortened.")),
});

export const journalPage = record("JournalPage", { items: list(journalEntry), nextCursor: nullable(string()) });
export type JournalPage = ValueOf<typeof journalPage>;
