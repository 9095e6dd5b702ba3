import type { Task } from "@tickwheel/core";

/**
 * How a column of a task is read. `number`: a whole number that fits a double. `instant`: whole epoch milliseconds.
 * `plain`: as the driver gives it. `text`: cast to text, since drivers differ in what they make of its type. `list`: a
 * JSON text.
 */
type Reading = "number" | "instant" | "plain" | "text" | "list";

/** A column's SQL type with its default, and how it is read to which field of the task; absent: no task shows it. */
type Column = { readonly type: string } & (
  | { readonly read: Reading; readonly of: keyof Task }
  | { readonly read?: undefined; readonly of?: undefined }
);

/**
 * The columns of a task, in the order of the tables `task` and `history`. Each fact about a column stands here: the
 * tables, the statements that read or move whole tasks and the types of what they read come from it. Until 0.1.0 is cut
 * the first schema is made of it, too.
 */
const TASK_TABLE = {
  id: { type: "uuid NOT NULL", read: "text", of: "id" },
  scheduled_at: { type: "timestamptz(3) NOT NULL", read: "instant", of: "scheduledAt" },
  due_at: { type: "timestamptz(3) NOT NULL", read: "instant", of: "dueAt" },
  start_deadline_at: { type: "timestamptz(3)", read: "instant", of: "startDeadlineAt" },
  created_at: { type: "timestamptz(3) NOT NULL", read: "instant", of: "createdAt" },
  claimed_at: { type: "timestamptz(3)", read: "instant", of: "claimedAt" },
  started_at: { type: "timestamptz(3)", read: "instant", of: "startedAt" },
  finished_at: { type: "timestamptz(3)", read: "instant", of: "finishedAt" },
  cancel_requested_at: { type: "timestamptz(3)", read: "instant", of: "cancelRequestedAt" },
  owner: { type: "bigint", read: "text", of: "owner" },
  timeout_ms: { type: "bigint NOT NULL", read: "number", of: "timeoutMs" },
  error_print: { type: "bigint", read: "number", of: "errorPrint" },
  type_id: { type: "integer NOT NULL", read: "number", of: "typeId" },
  version: { type: "integer NOT NULL DEFAULT 1", read: "number", of: "version" },
  fence: { type: "integer NOT NULL DEFAULT 0", read: "number", of: "fence" },
  attempt: { type: "integer NOT NULL DEFAULT 0", read: "number", of: "attempt" },
  max_attempts: { type: "integer NOT NULL", read: "number", of: "maxAttempts" },
  defer_count: { type: "integer NOT NULL DEFAULT 0" },
  journal_count: { type: "integer NOT NULL DEFAULT 0" },
  slot: { type: "smallint NOT NULL" },
  state: { type: "smallint NOT NULL", read: "number", of: "state" },
  crash_count: { type: "smallint NOT NULL DEFAULT 0", read: "number", of: "crashCount" },
  snooze_count: { type: "smallint NOT NULL DEFAULT 0", read: "number", of: "snoozeCount" },
  given: { type: "smallint NOT NULL DEFAULT 0", read: "number", of: "given" },
  priority: { type: "smallint NOT NULL", read: "number", of: "priority" },
  key_live: { type: "boolean NOT NULL", read: "plain", of: "keyLive" },
  key: { type: "text", read: "plain", of: "key" },
  reason: { type: "text", read: "plain", of: "reason" },
  created_by: { type: "text NOT NULL", read: "plain", of: "createdBy" },
  cancelled_by: { type: "text", read: "plain", of: "cancelledBy" },
  last_error: { type: "text", read: "plain", of: "lastError" },
  backoff: { type: "json", read: "text", of: "backoff" },
  payload: { type: "json", read: "text", of: "payload" },
  delivery: { type: "json", read: "text", of: "delivery" },
  result: { type: "json", read: "text", of: "result" },
  notes: { type: "jsonb" },
  wait_until: { type: "timestamptz(3)", read: "instant", of: "waitUntil" },
  continues: { type: "uuid", read: "text", of: "continues" },
  continued_by: { type: "uuid", read: "text", of: "continuedBy" },
  tags: { type: "text[]", read: "list", of: "tags" },
  later_ms: { type: "bigint[]", read: "list", of: "laterMs" },
  paused_at: { type: "timestamptz(3)", read: "instant", of: "pausedAt" },
  paused_ms: { type: "bigint", read: "number", of: "pausedMs" },
  batch_id: { type: "uuid", read: "text", of: "batchId" },
  shard_index: { type: "integer", read: "number", of: "shard" },
  shard_total: { type: "integer", read: "number", of: "shard" },
  lateness_parts: { type: "text", read: "plain", of: "latenessParts" },
} as const satisfies Record<string, Column>;

type Table = typeof TASK_TABLE;
export type TaskColumn = keyof Table;
type ColumnsRead<How extends Reading> = {
  [Name in TaskColumn]: Table[Name] extends { read: How } ? Name : never;
}[TaskColumn];
/** A column whose values come with others in one column, see `numbers`. */
export type NumberColumn = ColumnsRead<"number" | "instant">;
type RowColumn = ColumnsRead<"plain" | "text" | "list">;

type Nullable<Name extends TaskColumn, Value> = Table[Name]["type"] extends `${string} NOT NULL${string}`
  ? Value
  : Value | null;
type RowValue<Name extends TaskColumn> = Nullable<
  Name,
  Table[Name]["type"] extends `boolean${string}` ? boolean : string
>;

/** A row of `TASK_FIELDS`. */
export type TaskRow = { readonly [Name in RowColumn]: RowValue<Name> } & {
  readonly namespace: string;
  readonly type: string;
  readonly node: string | null;
  readonly numbers: string;
};

/** A value of a {@link NumberColumn}. */
export type NumberOf<Name extends NumberColumn> = Nullable<Name, number>;

/** The columns that an insert must give: they have no default and take no null. */
type GivenColumn = {
  [Name in TaskColumn]: Table[Name]["type"] extends `${string} NOT NULL` ? Name : never;
}[TaskColumn];
/** The columns of a new row, and their values in SQL. */
export type NewRow = Record<GivenColumn, string> & Partial<Record<TaskColumn, string>>;

/** All columns of `task` and `history`, in the order of the table. */
export const TASK_COLUMNS = Object.keys(TASK_TABLE) as TaskColumn[];

/** The same as they are declared. */
export const TASK_COLUMNS_DECLARED = TASK_COLUMNS.map((name) => `\n  ${name} ${TASK_TABLE[name].type}`).join(",");

/** No value of a column that may have none, for a relation that is not a table: there a bare NULL would be a text. */
export function noValue(name: TaskColumn): string {
  return `NULL::${TASK_TABLE[name].type}`;
}

/** How a column is read; undefined: no task shows it. */
export function readingOf(name: TaskColumn): Reading | undefined {
  const column: Column = TASK_TABLE[name];
  return column.read;
}

export function isNumberColumn(name: TaskColumn): name is NumberColumn {
  const read = readingOf(name);
  return read === "number" || read === "instant";
}
