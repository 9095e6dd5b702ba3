import type { Due, EpochMs, NewTask } from "@tickwheel/core";
import { slotOfId } from "@tickwheel/core";
import { jsonArray, plainArray } from "../../sql/plain-array.js";
import { epochMs, instant, now, span } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant, writeBackoff, writeJson, writePayload, writeTags } from "../../sql/task-rows.js";

/** A task to be written, which may be the next cycle of a key. */
export interface CycleTask extends NewTask {
  /** The task that held the key before and has started. */
  continues?: string;
}

export interface InsertTasks {
  tasks: readonly CycleTask[];
  asOf: EpochMs | null;
}

/**
 * Writes tasks whose keys, if they have any, are free: unkeyed tasks, and next cycles whose key was freed earlier in
 * the same transaction. Answers the instant that all their times count from; the caller knows every other column.
 *
 * Plan: one scan of `unnest`, one insert per row, three index entries at most. About 130,000 rows/s on one connection.
 */
export const insertTasks: Statement<InsertTasks, EpochMs> = {
  name: "insert_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      INSERT INTO ${schema}.task (${NEW_TASK_COLUMNS})
      SELECT ${newTaskValues("r", "clock.now")} FROM clock CROSS JOIN ${newTaskRows(2)}
    )
    SELECT ${epochMs("now")} AS now FROM clock`,
  values: ({ tasks, asOf }) => [asOf, ...newTaskArrays([...tasks].sort(byId))],
  read: (row) => readInstant(row.now),
};

/** `insertTasks` for tasks of which some have extras: a `maxWaitMs`, a task that they continue, tags, a batch. */
export const insertTasksWithExtras: Statement<InsertTasks, EpochMs> = {
  name: "insert_tasks_with_extras",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      INSERT INTO ${schema}.task (${EXTRA_COLUMNS})
      SELECT ${valuesWithExtras("r", "clock.now")} FROM clock CROSS JOIN ${newTaskRows(2, EXTRAS)}
    )
    SELECT ${epochMs("now")} AS now FROM clock`,
  values: ({ tasks, asOf }) => [asOf, ...newTaskArrays([...tasks].sort(byId), EXTRAS)],
  read: (row) => readInstant(row.now),
};

/** Whether a task needs the columns of `insertTasksWithExtras`. */
export function hasExtras({ maxWaitMs, continues, tags, batchId }: CycleTask): boolean {
  const isAny = maxWaitMs !== undefined || continues !== undefined || batchId !== undefined;
  return isAny || (tags !== undefined && tags.length > 0);
}

/**
 * The same for one task, with scalar parameters: a lone create takes a sixth less time when no arrays are made, sent
 * and unnested for one row.
 */
export const insertTask: Statement<{ task: NewTask; asOf: EpochMs | null }, EpochMs> = {
  name: "insert_task",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      INSERT INTO ${schema}.task (${NEW_TASK_COLUMNS})
      SELECT ${newTaskValues("r", "clock.now")} FROM clock CROSS JOIN (SELECT ${newTaskScalars(2)}) AS r
    )
    SELECT ${epochMs("now")} AS now FROM clock`,
  values: ({ task, asOf }) => [asOf, ...SENT.map(({ of }) => of(task))],
  read: (row) => readInstant(row.now),
};

/**
 * Rows that come in the order of the indexes fill the index pages: they take a tenth less space, and the writes are
 * neighbours.
 */
function byId(one: NewTask, other: NewTask): number {
  return one.id < other.id ? -1 : 1;
}

/** The columns that a new row does not take from their defaults. */
export const NEW_TASK_COLUMNS = `id, slot, type_id, state, key, key_live, created_at, scheduled_at, due_at, start_deadline_at, payload,
        priority, max_attempts, backoff, timeout_ms, delivery, created_by`;

/** The same for one that may have extras. */
const EXTRA_COLUMNS = `${NEW_TASK_COLUMNS}, wait_until, continues, tags, batch_id, shard_index, shard_total`;

interface Sent {
  name: string;
  type: string;
  of: (task: CycleTask) => number | string | null;
  /** The array parameter for many tasks. */
  ofAll: (tasks: readonly CycleTask[]) => unknown;
}

/** The fields of a new task that are sent. */
const SENT: readonly Sent[] = [
  { name: "id", type: "uuid", ...plain(({ id }) => id) },
  { name: "slot", type: "smallint", ...plain(({ id }) => slotOfId(id)) },
  { name: "type_id", type: "integer", ...plain(({ typeId }) => typeId) },
  { name: "key", type: "text", ...text(({ key }) => key) },
  { name: "at_ms", type: "float8", ...plain(({ due }) => atOf(due)) },
  { name: "delay_ms", type: "float8", ...plain(({ due }) => delayOf(due)) },
  {
    name: "start_deadline_ms",
    type: "float8",
    ...plain(({ startDeadlineMs }) => wholeOrNull(startDeadlineMs)),
  },
  { name: "payload", type: "text", ...json(({ payload }) => writePayload(payload)) },
  { name: "priority", type: "smallint", ...plain(({ priority }) => priority) },
  { name: "max_attempts", type: "integer", ...plain(({ maxAttempts }) => maxAttempts) },
  { name: "backoff", type: "text", ...json(({ backoff }) => writeBackoff(backoff)) },
  { name: "timeout_ms", type: "bigint", ...plain(({ timeoutMs }) => timeoutMs) },
  { name: "delivery", type: "text", ...json(({ delivery }) => writeJson(delivery)) },
  { name: "created_by", type: "text", ...text(({ actor }) => actor) },
];

/** The tags of a new task, as text: `r.tags::text[]` has them. */
export const TAGS: Sent = { name: "tags", type: "text", ...text(({ tags }) => writeTags(tags)) };

/** What is sent besides for `EXTRA_COLUMNS`. */
export const EXTRAS: readonly Sent[] = [
  {
    name: "max_wait_ms",
    type: "float8",
    ...plain(({ maxWaitMs }) => wholeOrNull(maxWaitMs)),
  },
  { name: "continues", type: "uuid", ...plain(({ continues }) => continues ?? null) },
  TAGS,
  { name: "batch_id", type: "uuid", ...plain(({ batchId }) => batchId ?? null) },
  { name: "shard_index", type: "integer", ...plain(({ shard }) => shard?.index ?? null) },
  { name: "shard_total", type: "integer", ...plain(({ shard }) => shard?.total ?? null) },
];

function plain(of: (task: CycleTask) => number | string | null): Pick<Sent, "of" | "ofAll"> {
  return { of, ofAll: (tasks) => plainArray(tasks, of) };
}

function json(of: (task: NewTask) => string | null): Pick<Sent, "of" | "ofAll"> {
  return { of, ofAll: (tasks) => jsonArray(tasks, of) };
}

function text(of: (task: NewTask) => string | null): Pick<Sent, "of" | "ofAll"> {
  return { of, ofAll: (tasks) => tasks.map(of) };
}

/**
 * The arrays of {@link newTaskArrays} as the relation `r`, beginning at parameter `$first`. @param more arrays behind
 * these
 */
export function newTaskRows(first: number, more: readonly Pick<Sent, "name" | "type">[] = []): string {
  const sent = [...SENT, ...more];
  const arrays = sent.map(({ type }, index) => `$${first + index}::${type}[]`);
  const names = sent.map(({ name }) => name);
  return `unnest(${arrays.join(", ")}) WITH ORDINALITY AS r (${names.join(", ")}, place)`;
}

function newTaskScalars(first: number): string {
  return SENT.map(({ name, type }, index) => `$${first + index}::${type} AS ${name}`).join(", ");
}

/**
 * Inserts keyed tasks whose keys are free, and locks each holder that it meets, unchanged, until the transaction ends:
 * a conflicting row is locked whether or not the condition of DO UPDATE holds. The rows come in the order of (slot,
 * type, key), which is the lock order of every statement that locks keys.
 *
 * @param rows the relation `r`, as `newTaskRows` makes it
 */
export function insertByKey(schema: string, rows: string, { columns, values }: Columns = NEW_TASKS): string {
  return `INSERT INTO ${schema}.task AS t (${columns})
      SELECT ${values} FROM clock CROSS JOIN ${rows}
       ORDER BY r.slot, r.type_id, r.key
      ON CONFLICT (slot, type_id, key) WHERE key_live DO UPDATE SET version = t.version WHERE false`;
}

/** Columns of new rows, and their values from the relation `r` and `clock.now`. */
interface Columns {
  columns: string;
  values: string;
}
const NEW_TASKS: Columns = { columns: NEW_TASK_COLUMNS, values: newTaskValues("r", "clock.now") };
export const WITH_EXTRAS: Columns = { columns: EXTRA_COLUMNS, values: valuesWithExtras("r", "clock.now") };

/** A row's first state and key, as SQL. Default: the task is scheduled and holds its key, if it has one. */
interface Beginning {
  state?: number;
  keyLive?: string;
  /** The latest due time, in SQL. Default: there is none. */
  waitUntil?: string;
}

/** A task is due when the caller asked for, but never before now: an instant in the past means now. */
export function newTaskValues(row: string, now: string, begins: Beginning = {}): string {
  const { state = STATE.scheduled, keyLive = `${row}.key IS NOT NULL`, waitUntil } = begins;
  const asked = dueAt(`${row}.at_ms`, `${row}.delay_ms`, now);
  const due = waitUntil === undefined ? asked : `least(${asked}, ${waitUntil})`;
  return `${row}.id, ${row}.slot, ${row}.type_id, ${state}, ${row}.key, ${keyLive}, ${now}, ${due}, ${due},
             ${due} + ${span(`${row}.start_deadline_ms`)}, ${row}.payload::json, ${row}.priority, ${row}.max_attempts,
             ${row}.backoff::json, ${row}.timeout_ms, ${row}.delivery::json, ${row}.created_by`;
}

function valuesWithExtras(row: string, now: string): string {
  const waitUntil = `${now} + ${span(`${row}.max_wait_ms`)}`;
  return `${newTaskValues(row, now, { waitUntil })}, ${waitUntil}, ${row}.continues, ${row}.tags::text[],
             ${row}.batch_id, ${row}.shard_index, ${row}.shard_total`;
}

/** A due time in SQL: exactly one of `atMs` and `delayMs` is not null. */
export function dueAt(atMs: string, delayMs: string, now: string): string {
  return `greatest(${now}, coalesce(${instant(atMs)}, ${now} + ${span(delayMs)}))`;
}

export function newTaskArrays(tasks: readonly CycleTask[], more: readonly Sent[] = []): unknown[] {
  return [...SENT, ...more].map(({ ofAll }) => ofAll(tasks));
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
