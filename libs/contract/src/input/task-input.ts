import {
  type DurationInput,
  BACKOFF_PRESETS,
  type BackoffPreset,
  BROKER_KINDS,
  CONFLICT_POLICIES,
  type ConflictPolicy,
  MAX_RUNGS,
  MAX_TAGS_BYTES,
} from "@tickwheel/core";
import * as z from "zod";
import { either, list, special, words } from "../shapes/parts.js";
import {
  DURATION_JSON,
  durationRule,
  headersRule,
  instantRule,
  integerRule,
  keyRule,
  maxRule,
  minRule,
  NO_DURATION,
  nameRule,
  numberRule,
  oneOfRule,
  subjectRule,
  textRule,
  typeRule,
  webhookUrlRule,
} from "./input-rules.js";
import type { BackoffFields, BackoffInput, DeliverFields } from "./given.generated.js";
import { field, inputObject, nestedInput, ownCopy, ownFields, whenObject } from "./input-schema.js";
import { inputShape, looksLike, named, said } from "./input-shape.js";
import { PAYLOAD, payloadField } from "./payload-input.js";
import { reducersField } from "./reducers-input.js";
import { tagsField } from "./tags-input.js";

const type = () => field<string>(typeRule);
const text = () => field<string>(textRule(1, 256));
const duration = field<DurationInput>(durationRule());

/** The number of a task that is due together with others, and how often it is tried. */
export const priorityField = () =>
  said(
    field<number>(integerRule, minRule(0), maxRule(9)).nullish(),
    "0 first; orders tasks that are due together. Default: the type's, else 5.",
  );
export const maxAttemptsField = () =>
  said(
    field<number>(integerRule, minRule(1), maxRule(1_000)).nullish(),
    "Attempts before it is dead. Default: the type's, else 3.",
  );

/** The common fields of a task and of its changes. */
const schedule = {
  delay: said(
    duration.nullish(),
    "How long from now it is due, at most 100 years. Default: `scheduledAt`, else at once.",
  ),
  scheduledAt: said(
    field<string | Date>(instantRule).nullish(),
    "When it is due; one that has passed means at once. Not together with `delay`. Default: `delay` says when.",
  ),
  payload: said(payloadField(), PAYLOAD),
  priority: priorityField(),
  maxAttempts: maxAttemptsField(),
};

const BACKOFF_KINDS = ["fixed", "exponential", "ladder", ...(Object.keys(BACKOFF_PRESETS) as BackoffPreset[])] as const;
type BackoffKind = (typeof BACKOFF_KINDS)[number];

/** The wait between attempts: a description of it, or the name of a known ladder. */
export type BackoffSetting = BackoffInput | BackoffPreset;

const rungRule = durationRule();
const NO_LADDER = `must be a list of 1 to ${MAX_RUNGS} durations`;
const delays = z.custom<readonly DurationInput[]>().check(({ value, issues }) => {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_RUNGS) {
    issues.push({ code: "custom", message: NO_LADDER, input: value });
    return;
  }
  for (const [place, item] of (value as unknown[]).entries()) {
    const message = rungRule(item);
    if (message !== null) issues.push({ code: "custom", message, input: item, path: [place], continue: true });
  }
});

looksLike(delays, () => list(special("Duration", DURATION_JSON), { minItems: 1, maxItems: MAX_RUNGS }));

const BACKOFF_TEXTS = {
  alipay: "A ladder, as Alipay notifies merchants: 4, 10, 10 minutes, 1, 2, 6, 15 hours.",
  rocketmq: "A ladder, as RocketMQ redelivers: 10 and 30 s, 1 to 10, 20, 30 minutes, 1 and 2 hours.",
};

/** Checks a {@link BackoffInput}. */
export const backoffInput = inputObject({
  kind: said(
    field<BackoffKind>(oneOfRule(BACKOFF_KINDS, `must be one of ${BACKOFF_KINDS.join(", ")}`)),
    "`fixed`: always `delay`. `exponential`: `initial`, doubled up to `max`. `ladder`: `delays`, one after the other. `alipay` and `rocketmq` are ladders.",
    { words: "BackoffKind", texts: BACKOFF_TEXTS },
  ),
  delay: said(duration.optional(), "For `fixed`: the wait."),
  delays: said(
    delays.optional(),
    "For `ladder`: the waits after the first, second … failed attempt; the last one is repeated.",
  ),
  initial: said(duration.nullish(), "For `exponential`: the first wait. Default: 1 s."),
  max: said(duration.nullish(), "For `exponential`: the longest wait. Default: 1 h."),
  jitter: said(
    field<number>(numberRule, minRule(0), maxRule(1)).nullish(),
    "A share of the wait by which it is longer or shorter by chance.",
    { default: 0.2 },
  ),
})
  .refine(({ kind, delay }) => kind !== "fixed" || delay !== undefined, {
    path: ["delay"],
    error: NO_DURATION,
    when: whenObject,
  })
  .refine(({ kind, delays: given }) => kind !== "ladder" || given !== undefined, {
    path: ["delays"],
    error: NO_LADDER,
    when: whenObject,
  }) satisfies z.ZodType<BackoffFields>;

named("BackoffInput", backoffInput, "The wait between attempts.");

/** A backoff within another input; a text is the name of its kind. */
export const backoffField = () =>
  said(
    z.preprocess((value) => (typeof value === "string" ? { kind: value } : ownFields(value)), backoffInput).nullish(),
    "The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2.",
    {
      shape: () =>
        either({ keyword: "oneOf", graphql: "first" }, inputShape(backoffInput), words(Object.keys(BACKOFF_PRESETS))),
    },
  );

/** How long an attempt of a task may take. */
export const timeoutField = () =>
  said(
    field<DurationInput>(durationRule({ minMs: 1, maxMs: 86_400_000 })).nullish(),
    "How long one attempt may take, at most a day; of a webhook at least 1 s and at most 60 s, unless the node is configured otherwise. Default: the type's, else 60 s.",
  );

const DELIVERY_KINDS = ["webhook", "pull", ...BROKER_KINDS] as const;
type DeliverKind = (typeof DELIVERY_KINDS)[number];
const NO_URL = webhookUrlRule(undefined) ?? "";
const targetRule = nameRule(64);
const NO_TARGET = targetRule(undefined) ?? "";
const OF_BROKERS = ["to", "subject", "headers"] as const;
/** The fields beside `kind` that each kind has. */
const DELIVERY_FIELDS: Readonly<Record<DeliverKind, readonly (keyof DeliverFields)[]>> = {
  webhook: ["url", "headers", "expectBody"],
  pull: [],
  amqp: OF_BROKERS,
  nats: OF_BROKERS,
  kafka: OF_BROKERS,
  redis: OF_BROKERS,
};

/** Checks a {@link DeliverInput}. */
export const deliverInput = inputObject({
  kind: said(
    field<DeliverKind>(oneOfRule(DELIVERY_KINDS, `must be one of ${DELIVERY_KINDS.join(", ")}`)),
    "`webhook`: by an HTTP request to `url`. `pull`: consumers fetch it, in whatever language. The others: published to a message broker. Whether it is a webhook, pulled or published is fixed by the type's first task.",
    { words: "DeliverKind" },
  ),
  url: said(
    field<string>(webhookUrlRule).optional(),
    "For `webhook`: a public address by https, or one that the node is configured to allow.",
  ),
  headers: said(
    z.preprocess(ownCopy, field<Record<string, string>>(headersRule)).nullish(),
    "For `webhook` and brokers: further headers of the request or message, an object of texts. Default: none.",
  ),
  expectBody: said(
    text().nullish(),
    "For `webhook`: what the body of a 2xx answer must be, without spaces around it; another one is a failed attempt. Default: any.",
  ),
  to: said(
    field<string>(targetRule).optional(),
    "For brokers: the name of a target in the options of the nodes. It is of this kind.",
  ),
  subject: said(
    field<string>(subjectRule).nullish(),
    "For brokers: the routing key, subject, topic or stream; one that the target allows. Default: the target's own.",
  ),
})
  .refine(({ kind, url }) => kind !== "webhook" || url !== undefined, {
    path: ["url"],
    error: NO_URL,
    when: whenObject,
  })
  .refine(({ kind, to }) => !BROKER_KINDS.some((one) => one === kind) || to !== undefined, {
    path: ["to"],
    error: NO_TARGET,
    when: whenObject,
  })
  .check(({ value, issues }) => {
    if (!Object.hasOwn(DELIVERY_FIELDS, value.kind)) return;
    const own = DELIVERY_FIELDS[value.kind];
    for (const name of ["url", "headers", "expectBody", "to", "subject"] as const)
      if (!own.includes(name) && value[name] !== undefined && value[name] !== null)
        issues.push({
          code: "custom",
          message: `is not of ${value.kind}`,
          input: value[name],
          path: [name],
          continue: true,
        });
  }) satisfies z.ZodType<DeliverFields>;
named("DeliverInput", deliverInput, "How a task is delivered, where no handler of a node runs it.");

const delayOrInstant = {
  path: ["scheduledAt"],
  error: "must not be given together with delay",
  when: whenObject,
};

/** A task as a client gives it, by REST, GraphQL or code. One set of rules for all three. */
export const taskInput = inputObject({
  type: said(type(), "Which handler runs it, or what a task is called that is sent or pulled."),
  ...schedule,
  payload: said(
    payloadField(),
    `${PAYLOAD} Where the type's handler has a schema it must fit: see \`GET /v1/types/{type}\`.`,
  ),
  key: said(field<string>(keyRule).nullish(), "At most one live task of a type has it. Default: none."),
  onConflict: said(
    field<ConflictPolicy>(oneOfRule(CONFLICT_POLICIES, `must be one of ${CONFLICT_POLICIES.join(", ")}`)).nullish(),
    "What becomes of it where a live task has its key.",
    { words: "ConflictPolicy", default: "reject" },
  ),
  merge: said(
    reducersField.nullish(),
    "For `merge`, with a `key`: how a field of the payload and the same field of the stored one combine, by the field's name. `add`: the exact sum of two numbers; `append`: the new list behind the stored one; `max`, `min`: the greater or smaller number; `replace`, as of all other fields: the new value.",
    { example: { bytes: "add", files: "append" } },
  ),
  maxWait: said(
    field<DurationInput>(durationRule({ minMs: 1 })).nullish(),
    "For `refresh` and `merge`, with a `key`, above 0: the task is due at the latest this long after its creation. Default: no such bound.",
  ),
  backoff: backoffField(),
  timeout: timeoutField(),
  startDeadline: said(
    field<DurationInput>(durationRule({ minMs: 1 })).nullish(),
    "From the scheduled time, above 0: a task that has not started by then ends `expired`. Default: the type's, else however late.",
  ),
  idempotencyKey: said(
    text().nullish(),
    "The first of several equal creates with the same one within 24 h is done, and the others get its answer. Default: none.",
  ),
  deliver: said(nestedInput(deliverInput), "Where it is sent. Default: a handler runs it."),
  tags: said(
    tagsField.nullish(),
    `What the task belongs to, to find it by; at most ${MAX_TAGS_BYTES} bytes in all. A refresh or a merge leaves those of the live task. Handlers and receivers are not given them.`,
    { example: ["shop:7", "vip"] },
  ),
})
  .refine(namesOneTime, delayOrInstant)
  .refine(({ merge, key, onConflict }) => !isGiven(merge) || (isGiven(key) && onConflict === "merge"), {
    path: ["merge"],
    error: "must be given only together with a key and onConflict merge",
    when: whenObject,
  })
  .refine(({ maxWait, key, onConflict }) => !isGiven(maxWait) || (isGiven(key) && isMoving(onConflict)), {
    path: ["maxWait"],
    error: "must be given only together with a key and onConflict refresh or merge",
    when: whenObject,
  });
named("TaskInput", taskInput);
export type TaskInput = z.infer<typeof taskInput>;

const AS_IT_IS = "Default: as it is.";
const changes = {
  delay: said(duration.nullish(), `How long from now it is due, at most 100 years. ${AS_IT_IS}`),
  scheduledAt: said(
    field<string | Date>(instantRule).nullish(),
    `When it is due; one that has passed means at once. Not together with \`delay\`. ${AS_IT_IS}`,
  ),
  payload: said(payloadField(), `${PAYLOAD} ${AS_IT_IS}`),
  priority: said(priorityField(), `0 first; orders tasks that are due together. ${AS_IT_IS}`),
  maxAttempts: said(maxAttemptsField(), `Attempts before it is dead. ${AS_IT_IS}`),
};

/** What may be changed of a scheduled task. */
export const taskChangesInput = inputObject(changes)
  .refine(namesOneTime, delayOrInstant)
  .refine((changes) => Object.values(changes).some(isGiven), { message: "must name at least one change", path: [] });
named("TaskChangesInput", taskChangesInput, "What changes; at least one field.");

/** Names the live task of a key. */
/** How long a call in code waits for a task. */
export const waitInput = inputObject({
  timeout: field<DurationInput>(durationRule({ maxMs: 3_600_000 })).nullish(),
  wait: field<DurationInput>(durationRule({ maxMs: 3_600_000 })).nullish(),
});

export const taskKeyInput = inputObject({ type: said(type(), "Its type."), key: said(text(), "Its key.") });
named("TaskKeyInput", taskKeyInput);
export type TaskKeyInput = z.infer<typeof taskKeyInput>;

function namesOneTime({ delay, scheduledAt }: { delay?: unknown; scheduledAt?: unknown }): boolean {
  return !isGiven(delay) || !isGiven(scheduledAt);
}

/** Whether tasks by this policy may move the due time of the one that holds their key. */
function isMoving(onConflict: ConflictPolicy | null | undefined): boolean {
  return onConflict === "refresh" || onConflict === "merge";
}

/** Null is as good as absent. */
export function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}
