import { createHash } from "node:crypto";
import { type Backoff, DEFAULT_BACKOFF, type Due, type Fault, type Json, parseDurationMs } from "@tickwheel/core";
import type { ScheduleRequest } from "@tickwheel/engine";
import { isAllowedHost } from "@tickwheel/executors";
import { parseInstant } from "./input-rules.js";
import type { BackoffInput, DurationInput, TaskInput } from "./task-input.js";

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
    webhook: input.deliver ? { kind: "webhook", url: input.deliver.url, headers: input.deliver.headers } : null,
    idempotency: input.idempotencyKey ? { key: input.idempotencyKey, bodyHash: bodyHash(input) } : null,
    actor,
  };
}

/** The due time of an input that may name one, or undefined. */
export function dueOf(input: { delay?: DurationInput; scheduledAt?: string }): Due | undefined {
  if (input.delay !== undefined && input.delay !== null) return { delayMs: durationMs(input.delay) };
  if (input.scheduledAt !== undefined && input.scheduledAt !== null) return { at: parseInstant(input.scheduledAt)! };
  return undefined;
}

/** The fault of a webhook to a host that this node's allow-list lacks. */
export function deliverFaults(input: TaskInput, allowedHosts: readonly string[], path = ""): Fault[] {
  const url = input.deliver?.url;
  if (typeof url !== "string" || !URL.canParse(url) || isAllowedHost(new URL(url), allowedHosts)) return [];
  return [
    { path: path === "" ? "deliver.url" : `${path}.deliver.url`, message: "must name a host of webhookAllowedHosts" },
  ];
}

/**
 * SHA-256 of a body for its idempotency key, in hex: equal for bodies that differ only in the order of their fields, or in whether the key
 * stands in the header or the field.
 */
export function bodyHash(body: unknown): string {
  return createHash("sha256").update(canonical(body), "utf8").digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value as Record<string, Json>)
    .filter(([field, item]) => item !== undefined && field !== "idempotencyKey")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([field, item]) => `${JSON.stringify(field)}:${canonical(item)}`).join(",")}}`;
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
