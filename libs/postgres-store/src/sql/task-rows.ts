import {
  type Backoff,
  DEFAULT_BACKOFF,
  type Delivery,
  type EpochMs,
  type Json,
  JSON_NULL,
  type JsonText,
  type Task,
  type TaskHint,
  type TerminalReason,
} from "@tickwheel/core";
import type { RawRow } from "../connection/session.js";
import { readLatenessParts } from "./lateness-sql.js";
import { textArray } from "./plain-array.js";
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

type HintNumbers = [typeId: number, version: number, priority: number, dueAt: number];

/** A row of `HINT_FIELDS`. */
export function readHint(row: RawRow): TaskHint {
  const [typeId, version, priority, dueAt] = readNumbers(row.hint) as HintNumbers;
  return { id: row.id as string, typeId, version, dueAt, priority };
}

type TaskNumbers = [
  ...[typeId: number, state: number, attempt: number, maxAttempts: number, crashCount: number, snoozeCount: number],
  ...[
    priority: number,
    version: number,
    fence: number,
    timeoutMs: number,
    scheduledAt: number,
    dueAt: number,
    createdAt: number,
  ],
  ...[startDeadlineAt: number | null, claimedAt: number | null, startedAt: number | null, finishedAt: number | null],
  ...[cancelRequestedAt: number | null, waitUntil: number | null, pausedAt: number | null, pausedMs: number | null],
  ...[shardIndex: number | null, shardTotal: number | null],
];

/** A row of `TASK_FIELDS`. */
export function readTask(row: RawRow): Task {
  const { state, ...told } = numbersOf(row.numbers);
  return {
    id: row.id as string,
    ...told,
    state: stateOf(state),
    namespace: row.namespace as string,
    type: row.type as string,
    key: readText(row.key),
    keyLive: row.key_live as boolean,
    payload: readPayload(row.payload),
    reason: readText(row.reason) as TerminalReason | null,
    backoff: readBackoff(row.backoff),
    delivery: readJson(row.delivery) as unknown as Delivery | null,
    result: readText(row.result) as JsonText | null,
    latenessParts: readLatenessParts(row.lateness_parts),
    ...whose(row),
    tags: readTags(row.tags),
  };
}

/** The column of `TASK_NUMBERS`. */
function numbersOf(column: unknown) {
  const [typeId, state, attempt, maxAttempts, crashCount, snoozeCount, ...others] = readNumbers(column) as TaskNumbers;
  const [priority, version, fence, timeoutMs, scheduledAt, dueAt, createdAt, ...instants] = others;
  const [
    startDeadlineAt,
    claimedAt,
    startedAt,
    finishedAt,
    cancelRequestedAt,
    waitUntil,
    pausedAt,
    pausedMs,
    ...shards
  ] = instants;
  const [index, total] = shards;
  return {
    ...{ typeId, state, attempt, maxAttempts, crashCount, snoozeCount, priority, version, fence, timeoutMs },
    ...{ scheduledAt, dueAt, createdAt, startDeadlineAt, claimedAt, startedAt, finishedAt },
    ...{ cancelRequestedAt, waitUntil, pausedAt, pausedMs: pausedMs ?? 0 },
    shard: typeof index === "number" && typeof total === "number" ? { index, total } : null,
  };
}

/** Who has to do with a task: nodes, people, other tasks; and the last error. */
function whose(row: RawRow) {
  return {
    owner: readText(row.owner),
    node: readText(row.node),
    lastError: readText(row.last_error),
    createdBy: row.created_by as string,
    cancelledBy: readText(row.cancelled_by),
    continues: readText(row.continues),
    continuedBy: readText(row.continued_by),
    batchId: readText(row.batch_id),
  };
}
