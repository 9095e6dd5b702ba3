import { createHmac } from "node:crypto";
import type { ClaimedTask, ExecutionResult, TaskType } from "@tickwheel/core";
import { isTooDeep } from "./result-text.js";

/** A delivery as it goes over the wire. */
export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

/**
 * The request of a delivery by the Standard Webhooks specification (https://www.standardwebhooks.com): `webhook-id` is the task's id, the
 * same on every attempt; `webhook-signature` holds one `v1` HMAC-SHA256 per secret, so that a secret can be rotated.
 *
 * @param secrets `whsec_` and base64, or plain text
 * @param atMs epoch milliseconds of this attempt
 */
export function webhookRequest(
  execution: { task: ClaimedTask; type: TaskType },
  secrets: readonly string[],
  atMs: number,
): WebhookRequest {
  const { task, type } = execution;
  const { id, key, attempt, fence, payload } = task;
  const facts = JSON.stringify({ id, namespace: type.namespace, key, attempt, fence });
  const envelope = JSON.stringify({ type: type.type, timestamp: new Date(atMs).toISOString() });
  const body = `${envelope.slice(0, -1)},"data":${facts.slice(0, -1)},"payload":${payload}}}`;
  const timestamp = String(Math.floor(atMs / 1_000));
  const headers: Record<string, string> = {
    ...task.webhook?.headers,
    "content-type": "application/json",
    "webhook-id": task.id,
    "webhook-timestamp": timestamp,
  };
  const signed = secrets.map((secret) => `v1,${sign(secret, `${task.id}.${timestamp}.${body}`)}`);
  if (signed.length > 0) headers["webhook-signature"] = signed.join(" ");
  return { headers, body };
}

function sign(secret: string, content: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret, "utf8");
  return createHmac("sha256", key).update(content, "utf8").digest("base64");
}

/** What an answer means: 2xx settles, 410 is final, `Retry-After` is honoured, everything else is tried again. */
export function resultOfResponse(
  response: { status: number; retryAfter: string | null; body: string },
  nowMs: number,
): ExecutionResult {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: "succeeded", result: jsonOrNull(response.body) };
  const error = `The webhook answered ${status}`;
  if (status === 410) return { kind: "failed", error, retryable: false };
  const retryAfterMs = parseRetryAfterMs(response.retryAfter, nowMs);
  return { kind: "failed", error, retryable: true, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

/** Milliseconds of a `Retry-After` header (seconds or an HTTP date), at most a day; null where it is neither. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), 86_400_000) : null;
}

/** The answer as it came, but for its line breaks and tabs: in JSON they stand only between tokens. */
function jsonOrNull(body: string): string | null {
  try {
    if (JSON.parse(body) === null || isTooDeep(body)) return null;
  } catch {
    return null;
  }
  return body.replaceAll(/[\t\n\r]/g, " ").trim();
}
