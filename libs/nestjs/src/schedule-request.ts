import { createHash } from "node:crypto";
import {
  type Backoff,
  DEFAULT_BACKOFF,
  type Due,
  type Fault,
  type Json,
  parseDurationMs,
  type WebhookDelivery,
} from "@tickwheel/core";
import type { ScheduleRequest } from "@tickwheel/engine";
import { isAllowedHost } from "@tickwheel/executors";
import type { TaskDefinition } from "./define-task.js";
import { isContainer, parseInstant, parseUrl } from "./input-rules.js";
import type { BackoffInput, DeliverInput, DurationInput, TaskInput } from "./task-input.js";

/**
 * The unchecked input of a call from code: its options, below them the defaults of its type. It is written into `fields`, which the caller
 * has made for it: a spread of two objects costs more than all checks.
 */
export function inputOfCall(
  fields: Record<string, unknown>,
  task: string | TaskDefinition<unknown>,
  payload: unknown,
): Record<string, unknown> {
  if (typeof task !== "string")
    for (const [field, value] of Object.entries(task.defaults))
      if (!Object.hasOwn(fields, field)) fields[field] = value;
  fields.type = typeOf(task);
  fields.payload = payload;
  return fields;
}

/** The name of the type that a call from code means. */
export function typeOf(task: string | TaskDefinition<unknown>): string {
  return typeof task === "string" ? task : task.type;
}

/** A checked input as the engine takes it. */
export function toScheduleRequest(input: TaskInput, namespace: string, actor: string): ScheduleRequest {
  return {
    namespace,
    type: input.type,
    payload: input.payload ?? null,
    due: dueOf(input),
    key: input.key ?? null,
    onConflict: input.onConflict ?? undefined,
    priority: input.priority ?? undefined,
    maxAttempts: input.maxAttempts ?? undefined,
    backoff: input.backoff ? backoffOf(input.backoff) : undefined,
    timeoutMs: optionalMs(input.timeout),
    startDeadlineMs: optionalMs(input.startDeadline),
    webhook: input.deliver ? webhookOf(input.deliver) : null,
    idempotency: input.idempotencyKey ? { key: input.idempotencyKey, bodyHash: bodyHash(input) } : null,
    actor,
  };
}

/** The due time of an input that may name one, or undefined. */
export function dueOf(input: Pick<TaskInput, "delay" | "scheduledAt">): Due | undefined {
  if (input.delay !== undefined && input.delay !== null) return { delayMs: durationMs(input.delay) };
  if (input.scheduledAt !== undefined && input.scheduledAt !== null) return { at: parseInstant(input.scheduledAt)! };
  return undefined;
}

/** The fault of a webhook to a host that this node's allow-list lacks. */
export function deliverFaults(input: TaskInput, allowedHosts: readonly string[], path = ""): Fault[] {
  if (!input.deliver) return [];
  const url = parseUrl(input.deliver.url);
  if (!url || isAllowedHost(url, allowedHosts)) return [];
  return [
    { path: path === "" ? "deliver.url" : `${path}.deliver.url`, message: "must name a host of webhookAllowedHosts" },
  ];
}

/**
 * SHA-256 of a body for its idempotency key, in hex: equal for bodies that differ only in the order of their fields, or in whether the key
 * stands in the header or the field.
 */
export function bodyHash(body: unknown): string {
  const withoutKeys = Array.isArray(body) ? body.map(withoutKey) : withoutKey(body);
  return createHash("sha256").update(canonical(withoutKeys), "utf8").digest("hex");
}

/** A payload may have such a field too: there it counts. */
function withoutKey(input: unknown): unknown {
  return isContainer(input) && !Array.isArray(input) ? { ...input, idempotencyKey: undefined } : input;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (value instanceof Date) return JSON.stringify(value);
  const fields = Object.entries(value as Record<string, Json>)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([field, item]) => `${JSON.stringify(field)}:${canonical(item)}`).join(",")}}`;
}

function webhookOf({ url, headers }: DeliverInput): WebhookDelivery {
  return { kind: "webhook", url, headers: headers ?? undefined };
}

function backoffOf(input: BackoffInput): Backoff {
  if (input.kind === "fixed") return { kind: "fixed", delayMs: durationMs(input.delay!) };
  const defaults = DEFAULT_BACKOFF as Extract<Backoff, { kind: "exponential" }>;
  return {
    kind: "exponential",
    initialMs: optionalMs(input.initial) ?? defaults.initialMs,
    maxMs: optionalMs(input.max) ?? defaults.maxMs,
    jitter: input.jitter ?? defaults.jitter,
  };
}

function optionalMs(value: DurationInput | null | undefined): number | undefined {
  return value === undefined || value === null ? undefined : durationMs(value);
}

function durationMs(value: DurationInput): number {
  return Math.round(parseDurationMs(value)!);
}
