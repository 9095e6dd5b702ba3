import { TASK_BYTES } from "@tickwheel/core";
import type { QuotedSchema } from "../connection/session.js";

/** Epoch milliseconds (a float8 expression) as an instant. */
export function instant(ms: string): string {
  return `to_timestamp((${ms})::float8 / 1000)`;
}

/** An instant as epoch milliseconds; the reader rounds. */
export function epochMs(expression: string): string {
  return `date_part('epoch', ${expression}) * 1000`;
}

/** Milliseconds (a float8 expression) as an interval. */
export function span(ms: string): string {
  return `(${ms})::float8 * interval '1 millisecond'`;
}

/**
 * The database's now, cut to whole milliseconds, or the instant in `asOf`, which only tests pass. It is volatile: put
 * it into a MATERIALIZED common table expression and use that. As an index bound, use it inside a scalar sub-select.
 */
export function now(asOf: string): string {
  return `date_trunc('milliseconds', coalesce(${instant(asOf)}, clock_timestamp()))`;
}

/**
 * Limits how long the statement waits for a row's lock, if `limitMs` (a text expression) is not null: the setting is
 * local to the transaction and is read when the wait begins, so it needs no extra round trip. It must not be used in a
 * caller's transaction.
 */
export function lockTimeout(limitMs: string): string {
  return `SELECT CASE WHEN ${limitMs}::text IS NOT NULL THEN set_config('lock_timeout', ${limitMs}::text, true) END AS set`;
}

/**
 * `instant` moved by as much as another instant was, from `from` to `to`. It is moved by milliseconds, not by the
 * interval between the two: an interval counts days, and in a time zone with summer time a day has 23 or 25 hours twice
 * a year.
 */
export function movedAlong(instant: string, { from, to }: { from: string; to: string }): string {
  return `${instant} + ${span(`${epochMs(`${to} - ${from}`)}`)}`;
}

/** All columns of `task` and `history`, in the order of the table. */
export const TASK_COLUMNS = [
  "id",
  "scheduled_at",
  "due_at",
  "start_deadline_at",
  "created_at",
  "claimed_at",
  "started_at",
  "finished_at",
  "cancel_requested_at",
  "owner",
  "timeout_ms",
  "type_id",
  "version",
  "fence",
  "attempt",
  "max_attempts",
  "defer_count",
  "journal_count",
  "slot",
  "state",
  "crash_count",
  "snooze_count",
  "priority",
  "key_live",
  "key",
  "reason",
  "created_by",
  "cancelled_by",
  "last_error",
  "backoff",
  "payload",
  "delivery",
  "result",
  "notes",
  "wait_until",
  "continues",
  "continued_by",
  "tags",
  "paused_at",
  "paused_ms",
  "batch_id",
  "shard_index",
  "shard_total",
  "lateness_parts",
] as const;

/**
 * Writes rows that were deleted from `task` to history.
 *
 * @param source the relation that holds them, with all their columns
 * @param changes the columns that are not kept as they were
 */
export function intoHistory(schema: QuotedSchema, source: string, changes: ColumnChanges): string {
  return `INSERT INTO ${schema}.history (${TASK_COLUMNS.join(", ")}) ${withChanges(source, changes)}`;
}

/** The changed columns of a task, and their expressions. */
type ColumnChanges = Partial<Record<(typeof TASK_COLUMNS)[number], string>>;

/**
 * The rows of `source`, which has all columns of a task. Some columns are changed, and the columns `more` of `source`
 * are added.
 */
export function withChanges(source: string, changes: ColumnChanges, more: readonly string[] = []): string {
  const values = TASK_COLUMNS.map((column) => `${changes[column] ?? `${source}.${column}`} AS ${column}`);
  return `SELECT ${[...values, ...more].join(", ")} FROM ${source}`;
}

/** An instant as whole epoch milliseconds. */
export function wholeMs(expression: string): string {
  return `(${epochMs(expression)})::bigint`;
}

/**
 * Several numbers as one column, an SQL row. The server, the driver and the garbage collector spend more on a column
 * than on a number; building a list would cost the server twice as much. The numbers are whole and fit a double, or are
 * null. `readNumbers` reads the column.
 */
export function numbers(expressions: readonly string[]): string {
  return `ROW(${expressions.join(", ")})::text`;
}

/** In the order of `TaskNumbers`. */
const TASK_NUMBERS = [
  "t.type_id",
  "t.state",
  "t.attempt",
  "t.max_attempts",
  "t.crash_count",
  "t.snooze_count",
  "t.priority",
  "t.version",
  "t.fence",
  "t.timeout_ms",
  ...["t.scheduled_at", "t.due_at", "t.created_at", "t.start_deadline_at"].map(wholeMs),
  ...["t.claimed_at", "t.started_at", "t.finished_at", "t.cancel_requested_at", "t.wait_until", "t.paused_at"].map(
    wholeMs,
  ),
  "t.paused_ms",
  "t.shard_index",
  "t.shard_total",
];

/** The fields that `readTask` reads, of a task `t` whose names are in other tables. */
export function taskFields(names: { namespace: string; type: string; node: string }): string {
  return taskFieldList(names).join(", ");
}

function taskFieldList(names: { namespace: string; type: string; node: string }): string[] {
  return [
    "t.id::text AS id",
    `${names.namespace} AS namespace`,
    `${names.type} AS type`,
    "t.key",
    "t.key_live",
    "t.reason",
    "t.payload::text AS payload",
    "t.owner::text AS owner",
    `${names.node} AS node`,
    "t.backoff::text AS backoff",
    "t.delivery::text AS delivery",
    "t.result::text AS result",
    "t.last_error",
    "t.created_by",
    "t.cancelled_by",
    "t.continues::text AS continues",
    "t.continued_by::text AS continued_by",
    "array_to_json(t.tags)::text AS tags",
    "t.batch_id::text AS batch_id",
    "t.lateness_parts",
    `${numbers(TASK_NUMBERS)} AS numbers`,
  ];
}

const FIELDS = taskFieldList({ namespace: "y.namespace", type: "y.type", node: "n.label" });
/** The fields that `readTask` reads, of a task `t`, its type `y` and its node `n`. */
export const TASK_FIELDS = FIELDS.join(", ");
/** Stands for `TASK_FIELDS` in a row without a task. */
export const NO_TASK_FIELDS = FIELDS.map(() => "NULL").join(", ");

/** A task's size in bytes, counted as `bytesOf` in the core does. It decompresses stored values. */
export function taskBytes(row: string): string {
  const lengths = ["payload", "result", "delivery", "last_error", "tags"].map(
    (column) => `coalesce(octet_length(${row}.${column}::text), 0)`,
  );
  return `(${TASK_BYTES} + ${lengths.join(" + ")})`;
}

/** Rows of `source` as whole tasks: `SELECT ${TASK_FIELDS} FROM ${taskFrom(…)}`. */
export function taskFrom(schema: QuotedSchema, source: string): string {
  return `${source} t JOIN ${schema}.type y ON y.id = t.type_id LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = t.owner`;
}

/** `(boot_id, label)` of all nodes that a task or a journal may name, former nodes included. */
export function nodeLabels(schema: QuotedSchema): string {
  return `(SELECT boot_id, label FROM ${schema}.node UNION ALL SELECT boot_id, label FROM ${schema}.former_node)`;
}

/**
 * The state of a row that is found by its id, in a form that fits no partial index. With the bare column the planner
 * might read the due or the running index from end to end, dead entries included, instead of probing the primary key
 * for each id.
 */
export function stateById(row: string): string {
  return `(${row}.state + 0)`;
}

/**
 * The rows of parallel arrays, as a relation `r`, for a join by id. The LIMIT leaves no row out. Its value is unknown
 * when a generic plan is made, so the planner expects a single row and probes an index for each row, however small the
 * table was at that moment.
 *
 * @param arrays the parameters with their types; the first array's length is the number of rows
 */
export function arrayRows(arrays: readonly string[], columns: string): string {
  return `(SELECT * FROM unnest(${arrays.join(", ")}) AS r (${columns}) LIMIT cardinality(${arrays[0]})) AS r`;
}

/** The fields of a `TaskHint`. */
export const HINT_FIELDS = `t.id::text AS id, ${numbers(["t.type_id", "t.version", "t.priority", wholeMs("t.due_at")])} AS hint`;
