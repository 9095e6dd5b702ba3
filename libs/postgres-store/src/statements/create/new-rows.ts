import { bitsOf, slotOfId, type Due, type EpochMs, type NewTask } from "@tickwheel/core";
import { json, listed, plain, type SentColumn, type SentColumns } from "../../sql/parameters.js";
import { instant, span } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import type { NewRow, TaskColumn } from "../../sql/task-columns.js";
import { writeBackoff, writeJson, writePayload, writeTags } from "../../sql/task-rows.js";

/** A task to be written, which may be the next cycle of a key. */
export interface CycleTask extends NewTask {
  /** The task that held the key before and has started. */
  continues?: string;
}

/** The fields of a new task that are sent. */
export const SENT: SentColumns<CycleTask> = {
  id: plain("uuid", ({ id }) => id),
  slot: plain("smallint", ({ id }) => slotOfId(id)),
  type_id: plain("integer", ({ typeId }) => typeId),
  key: listed("text", ({ key }) => key),
  at_ms: plain("float8", ({ due }) => atOf(due)),
  delay_ms: plain("float8", ({ due }) => delayOf(due)),
  start_deadline_ms: plain("float8", ({ startDeadlineMs }) => wholeOrNull(startDeadlineMs)),
  payload: json("text", ({ payload }) => writePayload(payload)),
  priority: plain("smallint", ({ priority }) => priority),
  max_attempts: plain("integer", ({ maxAttempts }) => maxAttempts),
  backoff: json("text", ({ backoff }) => writeBackoff(backoff)),
  timeout_ms: plain("bigint", ({ timeoutMs }) => timeoutMs),
  given: plain("smallint", bitsOf),
  delivery: json("text", ({ delivery }) => writeJson(delivery)),
  created_by: listed("text", ({ actor }) => actor),
};

/** The tags of a new task, as text: `r.tags::text[]` has them. */
const TAGS: SentColumn<CycleTask> = listed("text", ({ tags }) => writeTags(tags));
/** The same with its tags. */
export const SENT_WITH_TAGS: SentColumns<CycleTask> = { ...SENT, tags: TAGS };

/** The same with all that only some tasks have. */
export const SENT_WITH_EXTRAS: SentColumns<CycleTask> = {
  ...SENT,
  max_wait_ms: plain("float8", ({ maxWaitMs }) => wholeOrNull(maxWaitMs)),
  continues: plain("uuid", ({ continues }) => continues ?? null),
  tags: TAGS,
  later_ms: listed("text", ({ laterMs = [] }) => (laterMs.length === 0 ? null : `{${laterMs.join(",")}}`)),
  batch_id: plain("uuid", ({ batchId }) => batchId ?? null),
  shard_index: plain("integer", ({ shard }) => shard?.index ?? null),
  shard_total: plain("integer", ({ shard }) => shard?.total ?? null),
};

/** Whether a task needs the columns of {@link SENT_WITH_EXTRAS}. */
export function hasExtras({ maxWaitMs, continues, tags, laterMs, batchId }: CycleTask): boolean {
  const isAny = maxWaitMs !== undefined || continues !== undefined || batchId !== undefined || laterMs !== undefined;
  return isAny || (tags !== undefined && tags.length > 0);
}

/** A row's first state and key, as SQL. Default: the task is scheduled and holds its key, if it has one. */
interface Beginning {
  state?: number;
  keyLive?: string;
  /** The latest due time, in SQL. Default: there is none. */
  waitUntil?: string;
}

/**
 * The row of a new task, made of the relation `r`. A column that is not in it has its default. A task is due when the
 * caller asked for, but never before now: an instant in the past means now.
 */
export function newRow(now: string, begins: Beginning = {}): NewRow {
  const { state = STATE.scheduled, keyLive = "r.key IS NOT NULL", waitUntil } = begins;
  const asked = dueAt("r.at_ms", "r.delay_ms", now);
  const due = waitUntil === undefined ? asked : `least(${asked}, ${waitUntil})`;
  return {
    id: "r.id",
    slot: "r.slot",
    type_id: "r.type_id",
    state: String(state),
    key: "r.key",
    key_live: keyLive,
    created_at: now,
    scheduled_at: due,
    due_at: due,
    start_deadline_at: `${due} + ${span("r.start_deadline_ms")}`,
    payload: "r.payload::json",
    priority: "r.priority",
    max_attempts: "r.max_attempts",
    backoff: "r.backoff::json",
    timeout_ms: "r.timeout_ms",
    given: "r.given",
    delivery: "r.delivery::json",
    created_by: "r.created_by",
  };
}

/** The same of a task that may have extras. */
export function newRowWithExtras(now: string): NewRow {
  const waitUntil = `${now} + ${span("r.max_wait_ms")}`;
  return {
    ...newRow(now, { waitUntil }),
    wait_until: waitUntil,
    continues: "r.continues",
    tags: "r.tags::text[]",
    later_ms: "r.later_ms::bigint[]",
    batch_id: "r.batch_id",
    shard_index: "r.shard_index",
    shard_total: "r.shard_total",
  };
}

/** The columns of an INSERT, and their values. */
export interface InsertSql {
  columns: string;
  values: string;
}

/**
 * A new row as SQL.
 *
 * @param lineAt the columns besides the usual ones whose values begin a line of the text
 */
export function insertSql(row: NewRow, lineAt: readonly TaskColumn[] = []): InsertSql {
  const names = Object.keys(row) as TaskColumn[];
  const isLine = (name: TaskColumn): boolean => ["start_deadline_at", "backoff", ...lineAt].includes(name);
  const values = names.map((name) => `${isLine(name) ? "\n             " : " "}${row[name]}`);
  const columns = names.map((name) => `${name === "priority" ? "\n        " : " "}${name}`);
  return { columns: columns.join(",").trimStart(), values: values.join(",").trimStart() };
}

/** A due time in SQL: exactly one of `atMs` and `delayMs` is not null. */
export function dueAt(atMs: string, delayMs: string, now: string): string {
  return `greatest(${now}, coalesce(${instant(atMs)}, ${now} + ${span(delayMs)}))`;
}

/** The instant that is asked for, in whole milliseconds; null: a delay is. */
export function atOf(due: Due): EpochMs | null {
  return "at" in due ? Math.round(due.at) : null;
}

/** The delay that is asked for, in whole milliseconds; null: an instant is. */
export function delayOf(due: Due): number | null {
  return "delayMs" in due ? Math.round(due.delayMs) : null;
}

export function wholeOrNull(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.round(value);
}
