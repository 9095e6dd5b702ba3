import {
  type Backoff,
  DEFAULT_BACKOFF,
  type Delivery,
  type EpochMs,
  type Json,
  JSON_NULL,
  type JsonText,
  type Shard,
  type Task,
  type TaskHint,
  type TerminalReason,
} from "@tickwheel/core";
import type { RawRow } from "../connection/session.js";
import { readLatenessParts } from "./lateness-sql.js";
import { textArray } from "./plain-array.js";
import { HINT_NUMBERS, TASK_NUMBERS } from "./sql-fragments.js";
import { stateOf } from "./state-codes.js";
import type { NumberColumn, NumberOf, TaskRow } from "./task-columns.js";

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

/** Writes JSON's null as SQL null: a result reads the same either way, and most results are null. */
export function writeJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** A payload goes to its column and comes back as the same text. Null becomes SQL null here, too. */
export function writePayload(payload: JsonText): string | null {
  return payload === JSON_NULL ? null : payload;
}

export function readPayload(value: unknown): JsonText {
  return value === null ? JSON_NULL : (value as JsonText);
}

/** Text that Postgres accepts: U+FFFD replaces each NUL. */
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

/** No tags are kept as null. */
export function writeTags(tags: readonly string[] = []): string | null {
  return tags.length === 0 ? null : textArray(tags);
}

/** The tags as JSON. */
export function readTags(value: unknown): string[] {
  return value === null || value === undefined ? [] : (JSON.parse(value as string) as string[]);
}

export function readBackoff(value: unknown): Backoff {
  return value === null ? { ...DEFAULT_BACKOFF } : (readJson(value) as Backoff);
}

const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const CLOSE = 0x29;

/** A column of `numbers`: `(5,-1,,0)` is 5, -1, null, 0. Thrice as fast as a list in JSON. */
export function readNumbers(value: unknown): (number | null)[] {
  const text = value as string;
  const read: (number | null)[] = [];
  let number: number | null = null;
  let sign = 1;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === MINUS) sign = -1;
    else if (code !== COMMA && code !== CLOSE) number = (number ?? 0) * 10 + (code - ZERO);
    else {
      read.push(number === null ? null : sign * number);
      number = null;
      sign = 1;
    }
  }
  return read;
}

declare const COLUMN: unique symbol;
/** Where the number of a column is among others. */
type Place<Name> = number & { readonly [COLUMN]?: Name };
type Places<Name extends NumberColumn> = { readonly [Each in Name]: Place<Each> };

/** The places of columns in what `readNumbers` makes of their `taskNumbers`. */
export function placesOf<Name extends NumberColumn>(columns: readonly Name[]): Places<Name> {
  return Object.fromEntries(columns.map((name, place) => [name, place])) as Places<Name>;
}

/** The number of a column. */
export function numberAt<Name extends NumberColumn>(
  numbers: readonly (number | null)[],
  place: Place<Name>,
): NumberOf<Name> {
  return numbers[place] as NumberOf<Name>;
}

const IN_HINT = placesOf(HINT_NUMBERS);

/** A row of `HINT_FIELDS`. */
export function readHint(row: RawRow): TaskHint {
  const numbers = readNumbers(row.hint);
  return {
    id: row.id as string,
    typeId: numberAt(numbers, IN_HINT.type_id),
    version: numberAt(numbers, IN_HINT.version),
    dueAt: numberAt(numbers, IN_HINT.due_at),
    priority: numberAt(numbers, IN_HINT.priority),
  };
}

const AT = placesOf(TASK_NUMBERS);

/** A row of `TASK_FIELDS`. */
export function readTask(row: RawRow): Task {
  const columns = row as TaskRow;
  return taskOf(columns, readNumbers(columns.numbers));
}

function taskOf(columns: TaskRow, numbers: ReturnType<typeof readNumbers>): Task {
  return {
    id: columns.id,
    typeId: numberAt(numbers, AT.type_id),
    namespace: columns.namespace,
    type: columns.type,
    key: columns.key,
    keyLive: columns.key_live,
    payload: readPayload(columns.payload),
    state: stateOf(numberAt(numbers, AT.state)),
    reason: columns.reason as TerminalReason | null,
    scheduledAt: numberAt(numbers, AT.scheduled_at),
    dueAt: numberAt(numbers, AT.due_at),
    startDeadlineAt: numberAt(numbers, AT.start_deadline_at),
    waitUntil: numberAt(numbers, AT.wait_until),
    pausedAt: numberAt(numbers, AT.paused_at),
    pausedMs: numberAt(numbers, AT.paused_ms) ?? 0,
    createdAt: numberAt(numbers, AT.created_at),
    claimedAt: numberAt(numbers, AT.claimed_at),
    startedAt: numberAt(numbers, AT.started_at),
    latenessParts: readLatenessParts(columns.lateness_parts),
    finishedAt: numberAt(numbers, AT.finished_at),
    attempt: numberAt(numbers, AT.attempt),
    maxAttempts: numberAt(numbers, AT.max_attempts),
    given: numberAt(numbers, AT.given),
    crashCount: numberAt(numbers, AT.crash_count),
    snoozeCount: numberAt(numbers, AT.snooze_count),
    priority: numberAt(numbers, AT.priority),
    version: numberAt(numbers, AT.version),
    fence: numberAt(numbers, AT.fence),
    owner: columns.owner,
    node: columns.node,
    backoff: readBackoff(columns.backoff),
    timeoutMs: numberAt(numbers, AT.timeout_ms),
    delivery: readJson(columns.delivery) as unknown as Delivery | null,
    cancelRequestedAt: numberAt(numbers, AT.cancel_requested_at),
    result: columns.result as JsonText | null,
    lastError: columns.last_error,
    errorPrint: numberAt(numbers, AT.error_print),
    createdBy: columns.created_by,
    cancelledBy: columns.cancelled_by,
    continues: columns.continues,
    continuedBy: columns.continued_by,
    tags: readTags(columns.tags),
    laterMs: columns.later_ms === null ? [] : (JSON.parse(columns.later_ms) as number[]),
    batchId: columns.batch_id,
    shard: shardOf(numberAt(numbers, AT.shard_index), numberAt(numbers, AT.shard_total)),
  };
}

function shardOf(index: number | null, total: number | null): Shard | null {
  return index === null || total === null ? null : { index, total };
}
