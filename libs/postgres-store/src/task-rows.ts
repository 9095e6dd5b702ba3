import {
  type Backoff,
  DEFAULT_BACKOFF,
  type EpochMs,
  type Json,
  type Task,
  type TaskHint,
  type TerminalReason,
  type WebhookDelivery,
} from "@tickwheel/core";
import type { RawRow } from "./session.js";
import { stateOf } from "./state-codes.js";

export function readInstant(value: unknown): EpochMs {
  return Math.round(Number(value));
}

export function readOptionalInstant(value: unknown): EpochMs | null {
  return value === null ? null : readInstant(value);
}

export function readText(value: unknown): string | null {
  return value === null || value === undefined ? null : (value as string);
}

export function readJson(value: unknown): Json {
  return value === null || value === undefined ? null : (JSON.parse(value as string) as Json);
}

/** SQL null for JSON's null: a result or payload reads the same either way, and most results are null. */
export function writeJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Text that Postgres takes: it has no NUL. */
export function writeText(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

const DEFAULT_BACKOFF_TEXT = JSON.stringify(DEFAULT_BACKOFF);

/** The default backoff is kept as null, which saves 70 bytes per row. */
export function writeBackoff(backoff: Backoff): string | null {
  if (backoff === DEFAULT_BACKOFF) return null;
  const text = JSON.stringify(backoff);
  return text === DEFAULT_BACKOFF_TEXT ? null : text;
}

export function readBackoff(value: unknown): Backoff {
  return value === null ? { ...DEFAULT_BACKOFF } : (readJson(value) as Backoff);
}

export function readHint(row: RawRow): TaskHint {
  return {
    id: row.id as string,
    typeId: Number(row.type_id),
    version: Number(row.version),
    dueAt: readInstant(row.due_at),
    priority: Number(row.priority),
  };
}

/** A row of `TASK_FIELDS`. */
export function readTask(row: RawRow): Task {
  return {
    id: row.id as string,
    typeId: Number(row.type_id),
    namespace: row.namespace as string,
    type: row.type as string,
    key: readText(row.key),
    keyLive: row.key_live as boolean,
    payload: readJson(row.payload),
    state: stateOf(row.state),
    reason: readText(row.reason) as TerminalReason | null,
    scheduledAt: readInstant(row.scheduled_at),
    dueAt: readInstant(row.due_at),
    startDeadlineAt: readOptionalInstant(row.start_deadline_at),
    createdAt: readInstant(row.created_at),
    claimedAt: readOptionalInstant(row.claimed_at),
    startedAt: readOptionalInstant(row.started_at),
    finishedAt: readOptionalInstant(row.finished_at),
    attempt: Number(row.attempt),
    maxAttempts: Number(row.max_attempts),
    crashCount: Number(row.crash_count),
    priority: Number(row.priority),
    version: Number(row.version),
    fence: Number(row.fence),
    owner: readText(row.owner),
    node: readText(row.node),
    backoff: readBackoff(row.backoff),
    timeoutMs: Number(row.timeout_ms),
    webhook: readJson(row.webhook) as unknown as WebhookDelivery | null,
    cancelRequestedAt: readOptionalInstant(row.cancel_requested_at),
    result: readJson(row.result),
    lastError: readText(row.last_error),
    createdBy: row.created_by as string,
    cancelledBy: readText(row.cancelled_by),
  };
}
