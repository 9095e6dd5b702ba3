import { because, latenessParts } from "./lateness-schema.js";
import {
  CONFLICT_POLICIES,
  ERROR_CODES,
  MAX_REDUCERS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MAX_TAGS_BYTES,
  REDUCERS,
  ROLES,
  TASK_STATES,
  TERMINAL_REASONS,
} from "@tickwheel/core";
import { MAX_IDS } from "@tickwheel/calls";
import { BATCH_ANSWERS, BATCH_INPUTS } from "./batch-schemas.js";
import { FIGURE_SCHEMAS, GONE_NODES } from "./figure-schemas.js";
import { SCHEDULE_ANSWERS, SCHEDULE_INPUTS } from "./schedule-schemas.js";
import {
  string,
  integer,
  number,
  json,
  instant,
  duration,
  nullable,
  oneOf,
  list,
  ref,
  object,
  type SchemaObject,
  answer,
  backoffSetting,
  input,
} from "./schema-parts.js";

const type = { type: "string", pattern: "^(?!\\.{1,2}$)[A-Za-z0-9._:-]{1,128}$" };
const key = { type: "string", minLength: 1, maxLength: 256 };
const priority = {
  type: "integer",
  minimum: 0,
  maximum: 9,
  default: 5,
  description: "0 first; orders tasks that are due together.",
};
const maxAttempts = { type: "integer", minimum: 1, maximum: 1000, default: 3 };
const payload = {
  ...json,
  description: "Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit.",
};
const outcome = ["created", "existing", "refreshed", "replaced", "merged"];

const INPUTS = {
  BackoffInput: input(
    {
      kind: {
        ...oneOf(["fixed", "exponential", "ladder", "alipay", "rocketmq"]),
        description: "`alipay` and `rocketmq` are ladders; their names alone do in place of the object.",
      },
      delay: { ...duration, description: "Of `fixed`." },
      delays: {
        ...list(duration),
        minItems: 1,
        maxItems: 100,
        description: "Of `ladder`: the waits after the first, second … failed attempt; the last one is repeated.",
      },
      initial: { ...duration, description: "Of `exponential`; default 1 s." },
      max: { ...duration, description: "Of `exponential`; default 1 h." },
      jitter: { type: "number", minimum: 0, maximum: 1, default: 0.2 },
    },
    ["kind"],
  ),
  DeliverInput: input(
    {
      kind: oneOf(["webhook"]),
      url: { type: "string", format: "uri", maxLength: 2048 },
      headers: { type: "object", additionalProperties: string, maxProperties: 32 },
      expectBody: {
        type: "string",
        minLength: 1,
        maxLength: 256,
        description:
          "What the body of a 2xx answer must be, without spaces around it; another one is a failed attempt.",
      },
    },
    ["kind", "url"],
  ),
  TaskInput: input(
    {
      type,
      payload: {
        ...payload,
        description: `${payload.description} Where the type's handler has a schema it must fit: see \`GET /v1/types/{type}\`.`,
      },
      delay: duration,
      scheduledAt: instant,
      key,
      onConflict: { ...oneOf(CONFLICT_POLICIES), default: "reject" },
      merge: {
        type: "object",
        description:
          "Of `merge`, with a `key`: how a field of the payload and the same field of the stored one combine, by the field's name. `add`: the exact sum of two numbers; `append`: the new list behind the stored one; `max`, `min`: the greater or smaller number; `replace`, as of all other fields: the new value.",
        additionalProperties: oneOf(REDUCERS),
        maxProperties: MAX_REDUCERS,
        example: { bytes: "add", files: "append" },
      },
      maxWait: {
        ...duration,
        description:
          "Of `refresh` and `merge`, with a `key`, above 0: the task is due at the latest this long after its creation. Default: no such bound.",
      },
      priority,
      maxAttempts,
      backoff: backoffSetting,
      timeout: {
        ...duration,
        description:
          "How long one attempt may take; default 60 s, at most a day; of a webhook at least 1 s and at most 60 s, unless the node is configured otherwise.",
      },
      startDeadline: {
        ...duration,
        description:
          "From the scheduled time, above 0: a task that has not started by then ends `expired`. Default: none.",
      },
      idempotencyKey: key,
      deliver: ref("DeliverInput"),
      tags: {
        ...list({ type: "string", minLength: 1, maxLength: MAX_TAG_LENGTH }, { maxItems: MAX_TAGS, uniqueItems: true }),
        description: `What the task belongs to, for whoever looks for it; at most ${MAX_TAGS_BYTES} bytes in all. A refresh or a merge leaves those of the live task. Handlers and webhooks are not given them.`,
        example: ["shop:7", "vip"],
      },
    },
    ["type"],
  ),
  TaskChangesInput: input({ delay: duration, scheduledAt: instant, payload, priority, maxAttempts }),
  TaskKeyInput: input({ type, key }, ["type", "key"]),
  TaskIdsInput: input({ ids: list({ type: "string", format: "uuid" }, { maxItems: MAX_IDS }) }, ["ids"]),
  LogInInput: input({ key: { ...string, description: "An API key." } }, ["key"]),
  ...SCHEDULE_INPUTS,
  ...BATCH_INPUTS,
  BulkInput: input({ tasks: list(ref("TaskInput"), { maxItems: 10_000 }) }, ["tasks"]),
};

/** What became of each of many ids. */
function manyResult(outcomes: readonly string[]): SchemaObject {
  const task = {
    allOf: [ref("Task")],
    description: "As it is now; absent where there is none, and behind the item that reaches 2 MiB of tasks.",
  };
  return answer({
    results: list(object({ id: string, outcome: oneOf(outcomes), task }, ["id", "outcome"])),
  });
}

const SHORT_FIELDS = {
  id: { type: "string", format: "uuid" },
  namespace: string,
  type,
  key: nullable(string),
  state: oneOf(TASK_STATES),
  reason: {
    ...nullable(oneOf(TERMINAL_REASONS)),
    description: "Why it is dead or cancelled; of `succeeded`: `SKIPPED` where its condition said no, else null.",
  },
  scheduledAt: instant,
  dueAt: { ...instant, description: "The next try. Of a paused task: as it was at `pausedAt`." },
  remainingMs: {
    ...nullable(number),
    description: "What remains of a paused task's countdown, in milliseconds; null: it is not paused.",
  },
  pausedAt: {
    ...nullable(instant),
    description: "Since when it is paused, or was last changed while it is paused; null: it is not paused.",
  },
  pausedMs: { ...number, description: "For how long it was paused before that, in milliseconds." },
  startDeadlineAt: nullable(instant),
  createdAt: instant,
  claimedAt: nullable(instant),
  startedAt: nullable(instant),
  finishedAt: nullable(instant),
  latenessMs: nullable(number),
  latenessParts,
  attempt: integer,
  maxAttempts: integer,
  crashCount: integer,
  priority: integer,
  version: integer,
  fence: integer,
  node: nullable(string),
  continues: {
    ...nullable({ type: "string", format: "uuid" }),
    description: "The task that had the key before this one and had already started when this one took it.",
  },
  continuedBy: {
    ...nullable({ type: "string", format: "uuid" }),
    description: "The latest task that took the key from this one after it had started.",
  },
  batchId: { ...nullable({ type: "string", format: "uuid" }), description: "The batch that it is a member of." },
  shard: {
    ...nullable(answer({ index: integer, total: integer })),
    description: "Its place in a batch that was split into shards.",
  },
  payloadVersion: {
    ...nullable(integer),
    description: "The version of its payload, as its creator's definition names it; null: it has none.",
  },
  waitingFor: nullable(oneOf(["HANDLER", "CAPACITY", "BREAKER", "PAUSE"])),
};
const TASK_FIELDS = {
  ...SHORT_FIELDS,
  payload,
  result: json,
  lastError: nullable(string),
  deliver: nullable(INPUTS.DeliverInput),
  tags: { ...list(string), description: "In the order in which they were given." },
};
const ONE_TASK_ALONE = "Only where one task is shown by its id";
const REPORT_FIELDS = {
  checkpoint: {
    ...nullable(answer({ state: json, at: instant })),
    description: `What the handler stored last for its next attempt; null: nothing. ${ONE_TASK_ALONE}.`,
  },
  progress: {
    ...nullable(answer({ value: { ...number, minimum: 0, maximum: 1 }, note: nullable(string), at: instant })),
    description: `How far the handler said last that it has come, from 0 to 1; null: it has not. ${ONE_TASK_ALONE}.`,
  },
};
const TASK = object({ ...TASK_FIELDS, ...REPORT_FIELDS, because }, Object.keys(TASK_FIELDS));

const JOURNAL_ENTRY = answer({
  at: instant,
  from: nullable(oneOf(TASK_STATES)),
  to: oneOf(TASK_STATES),
  node: nullable(string),
  fence: integer,
  attempt: integer,
  reason: nullable(string),
  actor: nullable(string),
  count: {
    ...integer,
    description:
      "How many transitions it stands for: itself, and those since the entry before it that are folded into it.",
  },
  startedAt: { ...nullable(instant), description: "Of an end of an execution: when its handler was called." },
  latenessParts,
  error: { ...nullable(string), description: "Of an attempt that failed: its error, shortened." },
});

const CLUSTER = answer({
  coordination: oneOf(["redis", "postgres", "postgres-degraded"]),
  leader: nullable(answer({ node: string, bootId: string, term: integer })),
  view: integer,
  slots: integer,
  degraded: list(answer({ part: string, since: instant, detail: string })),
  nodes: list(
    answer({
      label: string,
      name: { ...string, description: "For people; by default the machine's." },
      bootId: string,
      version: string,
      joinedAt: instant,
      state: oneOf(["joining", "live", "suspect", "draining", "dead"]),
      roles: list(string),
      types: list(string),
      heartbeatAgeMs: number,
      loopLagMs: number,
      clockOffsetMs: number,
      ownedSlots: integer,
      wheelSize: integer,
      inFlight: integer,
      places: { ...integer, description: "Executions that it may have at once; 0: not known." },
      blocked: {
        ...nullable(
          answer({
            forMs: number,
            running: list(answer({ type: string, count: integer })),
            lastStarted: nullable(string),
          }),
        ),
        description: "Null: its event loop turns. `lastStarted`: the task whose handler was called last.",
      },
      away: { ...list(oneOf(["redis", "postgres"])), description: "What it does not reach just now." },
    }),
  ),
  gone: GONE_NODES,
});

const STATS = answer({
  counts: answer(Object.fromEntries(TASK_STATES.map((state) => [state, integer]))),
  countedAt: instant,
  overdue: integer,
  oldestOverdueMs: nullable(number),
  lastMinute: answer({
    created: integer,
    started: integer,
    succeeded: integer,
    skipped: { ...integer, description: "Of these, the ones whose condition said no." },
    failed: integer,
    latenessMs: nullable(answer({ p50: number, p99: number, max: number })),
  }),
  wheel: answer({ entries: integer, bytes: integer }),
});

const FAULT = answer({ path: string, message: string });

const ANSWERS = {
  Task: TASK,
  ReducedTask: answer(SHORT_FIELDS),
  TaskPage: object(
    {
      items: {
        ...list(ref("Task")),
        description: "At most `limit`; the page ends earlier with the task that reaches 2 MiB.",
      },
      nextCursor: { ...nullable(string), description: "Null: there are no more tasks, however short the page is." },
      incomplete: {
        type: "boolean",
        description: "The budget of rows and time ended the look before the page was full: go on with the cursor.",
      },
    },
    ["items", "nextCursor"],
  ),
  CancelResult: answer({ outcome: oneOf(["cancelled", "cancel_requested"]), task: ref("Task") }),
  CancelManyResult: manyResult(["cancelled", "cancel_requested", "not_found", "too_late"]),
  RetryManyResult: manyResult(["scheduled", "not_found", "state_conflict", "key_conflict"]),
  BulkResult: answer({
    results: list(
      object(
        {
          index: integer,
          status: oneOf([...outcome, "rejected"]),
          task: {
            description:
              "As the whole call left it: a task that a later item replaced is `cancelled`. Of an item that is `reduced` a `ReducedTask`.",
            anyOf: [ref("Task"), ref("ReducedTask")],
          },
          reduced: {
            type: "boolean",
            description:
              "True behind the item that reaches 2 MiB of payloads and results: its task and those of further items leave out `payload`, `result`, `lastError`, `deliver` and `tags`. `GET /v1/tasks/{id}` shows them.",
          },
          error: answer({ code: string, detail: string, errors: list(FAULT) }),
        },
        ["index", "status"],
      ),
    ),
  }),
  JournalPage: answer({ items: list(JOURNAL_ENTRY), nextCursor: nullable(string) }),
  Cluster: CLUSTER,
  Stats: STATS,
  ...SCHEDULE_ANSWERS,
  ...BATCH_ANSWERS,
  ...FIGURE_SCHEMAS,
  Session: answer({
    id: { type: "string", format: "uuid" },
    csrfToken: { ...string, description: "For the header `X-CSRF-Token` of every call but GET and HEAD." },
    role: oneOf(ROLES),
    namespace: string,
    cluster: { type: "boolean", description: "Whether its key has the right `cluster`." },
    keyId: { type: "string", format: "uuid" },
    expiresAt: { ...instant, description: "It is over then; earlier after an hour without a call, or with its key." },
  }),
  Health: answer({ status: oneOf(["live", "ready", "degraded"]) }),
  Problem: object(
    {
      type: string,
      title: string,
      status: integer,
      detail: string,
      code: oneOf(Object.keys(ERROR_CODES)),
      errors: list(FAULT),
      existingId: {
        ...string,
        description: "Of `BATCH_EXISTS` and `TASK_KEY_CONFLICT`: what is there already. Else absent.",
      },
    },
    ["type", "title", "status", "detail", "code", "errors"],
  ),
};

/** The schemas of the OpenAPI document. Tests hold the inputs' fields against what `@tickwheel/nestjs` takes. */
export const OPENAPI_SCHEMAS = { ...INPUTS, ...ANSWERS };

export type SchemaName = keyof typeof OPENAPI_SCHEMAS;

export function schemaRef(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** What the calls are grouped by. */
export const TAGS = {
  Tasks: "Schedules, shows, moves, cancels and repeats the tasks of the key's namespace.",
  Schedules: "Makes, shows, changes, pauses, triggers and deletes what runs again and again.",
  Batches: "Makes, fills, seals, shows and cancels tasks that belong together, with what happens when all have ended.",
  Cluster: "Shows the nodes, and the figures of the key's namespace.",
  Session: "Logs the page in and out: a cookie takes the place of the key.",
  Health: "Tells load balancers and supervisors how the node is. Needs no key.",
};
