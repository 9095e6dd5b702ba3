import { createHmac } from "node:crypto";
import {
  type ClaimedTask,
  type ExecutionResult,
  MAX_HOST_REST_MS,
  type TaskType,
  type TraceContext,
  webhookOf,
} from "@tickwheel/core";
import { isTooDeep } from "../context/result-text.js";
import { parseRetryAfterMs } from "./retry-after.js";
import type { Answer } from "./webhook-client.js";

/** A delivery as it goes over the wire. */
export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

/**
 * The request of a delivery by the Standard Webhooks specification (https://www.standardwebhooks.com): `webhook-id` is
 * the task's id, the same on every attempt; `webhook-signature` holds one `v1` HMAC-SHA256 per secret, so that a secret
 * can be rotated.
 *
 * @param secrets `whsec_` and base64, or plain text
 * @param atMs epoch milliseconds of this attempt
 */
export function webhookRequest(
  execution: { task: ClaimedTask; type: TaskType; trace?: TraceContext | null },
  secrets: readonly string[],
  atMs: number,
): WebhookRequest {
  const { task, type, trace = null } = execution;
  const own = webhookOf(task)?.headers ?? {};
  const { id, key, attempt, fence, payload } = task;
  const facts = JSON.stringify({ id, namespace: type.namespace, key, attempt, fence });
  const envelope = JSON.stringify({ type: type.type, timestamp: new Date(atMs).toISOString() });
  const body = `${envelope.slice(0, -1)},"data":${facts.slice(0, -1)},"payload":${payload}}}`;
  const headers = {
    ...traceHeaders(trace, own),
    ...own,
    "content-type": "application/json",
    ...signedHeaders({ id, body, atMs }, secrets),
  };
  return { headers, body };
}

/** The headers by which a receiver knows a delivery and who sent it. */
export function signedHeaders(
  { id, body, atMs }: { id: string; body: string; atMs: number },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signed = secrets.map((secret) => `v1,${sign(secret, `${id}.${timestamp}.${body}`)}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signed.length > 0 && { "webhook-signature": signed.join(" ") }),
  };
}

/**
 * What carries the trace on. The headers that a task's creator has named win: with their trace they bring its state.
 */
export function traceHeaders(
  trace: TraceContext | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  if (trace === null) return {};
  const named = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const headers = Object.entries(trace).filter(([name]) => !named.has(name));
  const wanted = named.has("traceparent") ? headers.filter(([name]) => name !== "tracestate") : headers;
  return Object.fromEntries(wanted) as Record<string, string>;
}

/** What {@link isSecret} wants of each secret. */
export const SECRETS_RULE = "must be a list of secrets that are not empty: plain text, or whsec_ and base64";

/** Whether a text can sign. An empty one signs nothing that anybody could not sign. */
export function isSecret(text: string): boolean {
  return text.trim() !== "" && keyOf(text).length > 0;
}

function sign(secret: string, content: string): string {
  return createHmac("sha256", keyOf(secret)).update(content, "utf8").digest("base64");
}

function keyOf(secret: string): Buffer {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret, "utf8");
}

/**
 * What an answer means: 2xx settles, 410 is final, 429 and 503 with `Retry-After` put off all deliveries to the host
 * and cost no attempt, everything else is tried again, after `Retry-After` where it says so. A delivery whose answer
 * cannot be kept (too long, too deep, compressed, in another encoding) has arrived all the same: it has succeeded, and
 * its result is null.
 *
 * @param response `body` null: longer than is read
 * @param limitBytes the largest result that is kept
 * @param expectBody an answer with another body is tried again
 */
export function resultOfResponse(
  response: Answer,
  { host, nowMs, limitBytes, expectBody }: ResultTerms,
): ExecutionResult {
  const { status, body } = response;
  const answered = `The webhook at ${host} answered ${status}`;
  if (status >= 200 && status < 300) {
    if (expectBody === undefined || (body !== null && textOf(body)?.trim() === expectBody.trim()))
      return { kind: "succeeded", result: resultOfBody(body, limitBytes) };
    return retryLater(response, `${answered}, but not the body that means success`, nowMs);
  }
  if (status === 410) return { kind: "failed", error: answered, retryable: false };
  const restMs = isBusy(status) ? parseRetryAfterMs(response.retryAfter, nowMs) : null;
  return restMs === null ? retryLater(response, answered, nowMs) : restOf(host, restMs);
}

/** The host has too much to do, or does not work just now. */
function isBusy(status: number): boolean {
  return status === 429 || status === 503;
}

/** Its host asks for a rest, which costs no attempt. One that asks for longer is asked again. */
function restOf(host: string, restMs: number): ExecutionResult {
  const delayMs = Math.min(restMs, MAX_HOST_REST_MS);
  return { kind: "snoozed", delayMs, restsHost: { host, forMs: delayMs } };
}

function retryLater({ retryAfter }: Answer, error: string, nowMs: number): ExecutionResult {
  const retryAfterMs = parseRetryAfterMs(retryAfter, nowMs);
  return { kind: "failed", error, retryable: true, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

/** What a result is judged by. */
export interface ResultTerms {
  /** Who has answered. */
  host: string;
  /** Epoch milliseconds. */
  nowMs: number;
  limitBytes: number;
  /** See `WebhookDelivery`. Default: any body. */
  expectBody?: string;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is the result. Other text, JSON's null, and what cannot be kept is none. */
function resultOfBody(body: Buffer | null, limitBytes: number): string | null {
  const text = body && textOf(body);
  if (text === null || !isJson(text) || isTooDeep(text)) return null;
  // Line breaks and tabs stand only between tokens.
  const result = text.replaceAll(/[\t\n\r]/g, " ").trim();
  return result === "null" || Buffer.byteLength(result) > limitBytes ? null : result;
}

function textOf(body: Buffer): string | null {
  try {
    return UTF8.decode(body);
  } catch {
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
