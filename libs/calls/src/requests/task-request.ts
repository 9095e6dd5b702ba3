import {
  type Backoff,
  BACKOFF_PRESETS,
  BROKER_KINDS,
  type BrokerKind,
  DEFAULT_BACKOFF,
  type Due,
  type DurationInput,
  type Fault,
  JSON_NULL,
  JsonSource,
  parseDurationMs,
  parseInstant,
  type SchedulerOptions,
  type OutboundDelivery,
} from "@tickwheel/core";
import type { TaskRequest } from "@tickwheel/engine";
import type { AllowedHosts, BrokerTargets } from "@tickwheel/executors";
import type { TaskDefinition } from "./define-task.js";
import {
  type BackoffFields,
  type DeliverFields,
  isGiven,
  NO_PAYLOAD,
  ownTags,
  parseUrl,
  type TaskInput,
  WrittenPayload,
} from "@tickwheel/contract";
import type { PayloadRules } from "../payloads/read-payload.js";

const rulesOfCalls = new WeakMap<object, PayloadRules>();

/** How the definition of a call checks payloads, by the input that {@link inputOfCall} made of it. */
export function rulesOfCall(input: unknown): PayloadRules | undefined {
  return typeof input === "object" && input !== null ? rulesOfCalls.get(input) : undefined;
}

/**
 * The unchecked input of a call from code: its options, below them the defaults of its type. It is written into
 * `fields`, which the caller has made for it: a spread of two objects costs more than all checks.
 */
export function inputOfCall(
  fields: Record<string, unknown>,
  task: string | TaskDefinition<unknown>,
  payload: unknown,
): Record<string, unknown> {
  if (typeof task !== "string") {
    if (task.payload) rulesOfCalls.set(fields, task.payload);
    for (const [field, value] of Object.entries(task.defaults))
      if (!Object.hasOwn(fields, field)) fields[field] = value;
  }
  fields.type = typeOf(task);
  // Text is for our own edges, which have parsed it: from code everything is a value.
  const value: unknown = JsonSource.is(payload) ? payload.toJSON() : payload;
  fields.payload = value === undefined ? NO_PAYLOAD : value;
  return fields;
}

/**
 * Makes the unchecked input of a call last: its payload is written, and what its other fields hold is copied. So it may
 * be checked later, whatever its caller does with the values meanwhile.
 */
export function lastingInput(fields: Record<string, unknown>): Record<string, unknown> {
  for (const [field, value] of Object.entries(fields))
    if (field === "payload") fields.payload = new WrittenPayload(value);
    else if (field === "tags") fields.tags = ownTags(value);
    else if (typeof value === "object" && value !== null) fields[field] = copyOf(value);
  return fields;
}

/** Two levels: no input has more. */
function copyOf(value: object, levels = 2): unknown {
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value) || levels === 0) return value;
  const fields = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    fields.map(([name, item]) => [name, typeof item === "object" && item !== null ? copyOf(item, levels - 1) : item]),
  );
}

/** The name of the type that a call from code means. */
export function typeOf(task: string | TaskDefinition<unknown>): string {
  return typeof task === "string" ? task : task.type;
}

/** What a field of an input is called in a request, where that differs. */
interface Renamed {
  delay: "due";
  scheduledAt: "due";
  merge: "reducers";
  maxWait: "maxWaitMs";
  timeout: "timeoutMs";
  startDeadline: "startDeadlineMs";
  deliver: "outbound";
  idempotencyKey: "idempotency";
}
type FieldsOfInput = {
  [Field in keyof TaskInput as Field extends keyof Renamed ? Renamed[Field] : Field]-?: unknown;
};
/** A request that tells of every field of an input: one that is forgotten here or in requests does not compile. */
type WholeRequest = keyof FieldsOfInput extends keyof TaskRequest
  ? TaskRequest & { isPulled: boolean } & FieldsOfInput
  : never;

/** A checked input as the engine takes it. */
export function toTaskRequest(input: TaskInput, namespace: string, actor: string): WholeRequest {
  return {
    namespace,
    type: input.type,
    payload: input.payload ?? JSON_NULL,
    due: dueOf(input),
    key: input.key ?? null,
    onConflict: input.onConflict ?? undefined,
    reducers: input.merge ?? undefined,
    maxWaitMs: optionalMs(input.maxWait),
    priority: input.priority ?? undefined,
    maxAttempts: input.maxAttempts ?? undefined,
    backoff: input.backoff ? backoffOf(input.backoff) : undefined,
    timeoutMs: optionalMs(input.timeout),
    startDeadlineMs: optionalMs(input.startDeadline),
    outbound: input.deliver ? outboundOf(input.deliver) : null,
    isPulled: input.deliver?.kind === "pull",
    tags: input.tags ?? undefined,
    actor,
    // The function that checks the call fills them in.
    idempotency: null,
    payloadVersion: null,
    judge: undefined,
  };
}

/** The due time of an input that may name one, or undefined. */
export function dueOf(input: Pick<TaskInput, "delay" | "scheduledAt">): Due | undefined {
  if (input.delay !== undefined && input.delay !== null) return { delayMs: durationMs(input.delay) };
  if (input.scheduledAt !== undefined && input.scheduledAt !== null) return { at: parseInstant(input.scheduledAt)! };
  return undefined;
}

/** Where a node lets tasks be sent. */
export interface DeliveryBounds {
  webhookHosts: AllowedHosts;
  brokers: Pick<BrokerTargets, "faultOf">;
  scheduler: Pick<SchedulerOptions, "minWebhookTimeoutMs" | "maxWebhookTimeoutMs">;
}

/**
 * The faults of a task that is to be sent where this node may send nothing: of a webhook's URL and time-out, or of a
 * broker's target.
 */
export function deliverFaults(input: TaskInput, bounds: DeliveryBounds, path = ""): Fault[] {
  const sent = input.deliver ? outboundOf(input.deliver) : null;
  if (sent === null) return [];
  const below = path === "" ? "" : `${path}.`;
  if (sent.kind === "webhook") return webhookFaults(input, sent.url, { ...bounds, below });
  const fault = bounds.brokers.faultOf(sent);
  return fault === null ? [] : [{ path: `${below}deliver.${fault.field}`, message: fault.message }];
}

function webhookFaults(
  input: TaskInput,
  address: string,
  { webhookHosts, scheduler, below }: DeliveryBounds & { below: string },
): Fault[] {
  const faults: Fault[] = [];
  const url = parseUrl(address);
  if (url && !webhookHosts.permits(url))
    faults.push({
      path: `${below}deliver.url`,
      message: "must lead to a public address by https, or to a host of webhookAllowedHosts",
    });
  const { minWebhookTimeoutMs: least, maxWebhookTimeoutMs: longest } = scheduler;
  const timeoutMs = isGiven(input.timeout) ? parseDurationMs(input.timeout) : null;
  if (timeoutMs !== null && (timeoutMs < least || timeoutMs > longest))
    faults.push({ path: `${below}timeout`, message: `of a webhook must be between ${least} and ${longest} ms` });
  return faults;
}

/** Where a task is sent by its input, which may have faults; null: consumers fetch it. */
function outboundOf({ kind, url = "", headers, expectBody, to = "", subject }: DeliverFields): OutboundDelivery | null {
  const own = headers ?? undefined;
  if (kind === "webhook") return { kind, url, headers: own, ...(isGiven(expectBody) ? { expectBody } : {}) };
  if (!BROKER_KINDS.some((one) => one === kind)) return null;
  return { kind: kind as BrokerKind, to, ...(isGiven(subject) ? { subject } : {}), headers: own };
}

function backoffOf(input: BackoffFields): Backoff {
  if (input.kind === "fixed") return { kind: "fixed", delayMs: durationMs(input.delay!) };
  if (input.kind === "ladder") return { kind: "ladder", delaysMs: input.delays!.map(durationMs) };
  if (input.kind !== "exponential") return BACKOFF_PRESETS[input.kind];
  const defaults = DEFAULT_BACKOFF as Extract<Backoff, { kind: "exponential" }>;
  return {
    kind: "exponential",
    initialMs: optionalMs(input.initial) ?? defaults.initialMs,
    maxMs: optionalMs(input.max) ?? defaults.maxMs,
    jitter: input.jitter ?? defaults.jitter,
  };
}

function optionalMs(value: DurationInput | null | undefined): number | undefined {
  return isGiven(value) ? durationMs(value) : undefined;
}

function durationMs(value: DurationInput): number {
  return Math.round(parseDurationMs(value)!);
}
