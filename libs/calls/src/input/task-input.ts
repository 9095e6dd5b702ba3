import {
  BACKOFF_PRESETS,
  type BackoffPreset,
  CONFLICT_POLICIES,
  type ConflictPolicy,
  MAX_RUNGS,
} from "@tickwheel/core";
import * as z from "zod";
import {
  durationRule,
  headersRule,
  instantRule,
  integerRule,
  keyRule,
  maxRule,
  minRule,
  NO_DURATION,
  numberRule,
  oneOfRule,
  textRule,
  typeRule,
  webhookUrlRule,
} from "./input-rules.js";
import { field, inputObject, nestedInput, ownCopy, ownFields, whenObject } from "./input-schema.js";
import { payloadField } from "./payload-input.js";
import { reducersField } from "./reducers-input.js";
import { tagsField } from "./tags-input.js";

/** A duration as it is written: milliseconds, or a string such as `"15m"`. */
export type DurationInput = number | string;

const type = field<string>(typeRule);
const text = field<string>(textRule(1, 256));
const duration = field<DurationInput>(durationRule());
/** The common fields of a task and of its changes. */
const schedule = {
  delay: duration.nullish(),
  /** ISO 8601 with offset; from code also a Date. */
  scheduledAt: field<string | Date>(instantRule).nullish(),
  /** Any JSON, at most 64 KiB and 32 levels deep; checked, it is text. */
  payload: payloadField,
  priority: field<number>(integerRule, minRule(0), maxRule(9)).nullish(),
  maxAttempts: field<number>(integerRule, minRule(1), maxRule(1_000)).nullish(),
};

const BACKOFF_KINDS = ["fixed", "exponential", "ladder", ...(Object.keys(BACKOFF_PRESETS) as BackoffPreset[])] as const;
type BackoffKind = (typeof BACKOFF_KINDS)[number];

/** The wait between attempts: a description of it, or the name of a known ladder. */
export type BackoffSetting = BackoffInput | BackoffPreset;

/** The wait between attempts. Durations are milliseconds, or texts such as `"10s"`. */
export interface BackoffInput {
  /**
   * `fixed`: always `delay`. `exponential`: `initial`, doubled after each attempt up to `max`. `ladder`: `delays`, one
   * after the other. `alipay`, `rocketmq`: their ladders. No default.
   */
  kind: BackoffKind;
  /** Of `fixed`, which has no default for it. */
  delay?: DurationInput | undefined;
  /** Of `ladder`: 1 to 100 waits; the last one is repeated. No default. */
  delays?: readonly DurationInput[] | undefined;
  /** Of `exponential`: the first wait; default 1 s. */
  initial?: DurationInput | null | undefined;
  /** Of `exponential`: the longest wait; default 1 h. */
  max?: DurationInput | null | undefined;
  /** Of `exponential`: a share of the wait, 0 … 1, by which it is longer or shorter by chance; default 0.2. */
  jitter?: number | null | undefined;
}

/** Where a webhook task goes. */
export interface DeliverInput {
  /** By an HTTP request. No default. */
  kind: "webhook";
  /** A public address by https, or one of `webhookAllowedHosts`. No default. */
  url: string;
  /** Further headers of the request. Default: none. */
  headers?: Record<string, string> | null | undefined;
  /**
   * What the body of a 2xx answer must be, without spaces around it, 1 to 256 characters: another one is a failed
   * attempt. Default: any body.
   */
  expectBody?: string | null | undefined;
}

const NO_LADDER = `must be a list of 1 to ${MAX_RUNGS} durations`;
const delays = z.custom<readonly DurationInput[]>().check(({ value, issues }) => {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_RUNGS) {
    issues.push({ code: "custom", message: NO_LADDER, input: value });
    return;
  }
  for (const [place, item] of (value as unknown[]).entries()) {
    const message = durationRule()(item);
    if (message !== null) issues.push({ code: "custom", message, input: item, path: [place], continue: true });
  }
});

/** Checks a {@link BackoffInput}. */
export const backoffInput = inputObject({
  kind: field<BackoffKind>(oneOfRule(BACKOFF_KINDS, `must be one of ${BACKOFF_KINDS.join(", ")}`)),
  delay: duration.optional(),
  delays: delays.optional(),
  initial: duration.nullish(),
  max: duration.nullish(),
  jitter: field<number>(numberRule, minRule(0), maxRule(1)).nullish(),
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
  }) satisfies z.ZodType<BackoffInput>;

/** A backoff within another input; a text is the name of its kind. */
export const backoffField = z
  .preprocess((value) => (typeof value === "string" ? { kind: value } : ownFields(value)), backoffInput)
  .nullish();

/** Checks a {@link DeliverInput}. */
export const deliverInput = inputObject({
  kind: field<"webhook">(oneOfRule(["webhook"], "must be webhook")),
  url: field<string>(webhookUrlRule),
  headers: z.preprocess(ownCopy, field<Record<string, string>>(headersRule)).nullish(),
  expectBody: text.nullish(),
}) satisfies z.ZodType<DeliverInput>;

const delayOrInstant = {
  path: ["scheduledAt"],
  error: "must not be given together with delay",
  when: whenObject,
};

/** A task as a client gives it, by REST, GraphQL or code. One set of rules for all three. */
export const taskInput = inputObject({
  type,
  ...schedule,
  key: field<string>(keyRule).nullish(),
  onConflict: field<ConflictPolicy>(
    oneOfRule(CONFLICT_POLICIES, `must be one of ${CONFLICT_POLICIES.join(", ")}`),
  ).nullish(),
  /**
   * Of `merge`, by field of the payload: how its value and the stored one combine. Default: each replaces the other.
   */
  merge: reducersField.nullish(),
  /** Of `refresh` and `merge`: the task is due at the latest this long after its creation. Default: no such bound. */
  maxWait: field<DurationInput>(durationRule({ minMs: 1 })).nullish(),
  backoff: backoffField,
  timeout: field<DurationInput>(durationRule({ minMs: 1, maxMs: 86_400_000 })).nullish(),
  /** From the scheduled time: a task that has not started by then ends `expired`. Default: none. */
  startDeadline: field<DurationInput>(durationRule({ minMs: 1 })).nullish(),
  idempotencyKey: text.nullish(),
  deliver: nestedInput(deliverInput),
  /** What the task belongs to, for whoever looks for it: at most 16, each once. Its handler does not see them. */
  tags: tagsField.nullish(),
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
export type TaskInput = z.infer<typeof taskInput>;

/** What may be changed of a scheduled task. */
export const taskChangesInput = inputObject(schedule)
  .refine(namesOneTime, delayOrInstant)
  .refine((changes) => Object.values(changes).some(isGiven), { message: "must name at least one change", path: [] });
export type TaskChangesInput = z.infer<typeof taskChangesInput>;

/** Names the live task of a key. */
export const taskKeyInput = inputObject({ type, key: text });
export type TaskKeyInput = z.infer<typeof taskKeyInput>;

/** Every input by its name, for whoever describes them in words of their own. */
export const INPUTS = {
  BackoffInput: backoffInput,
  DeliverInput: deliverInput,
  TaskInput: taskInput,
  TaskChangesInput: taskChangesInput,
  TaskKeyInput: taskKeyInput,
};

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
