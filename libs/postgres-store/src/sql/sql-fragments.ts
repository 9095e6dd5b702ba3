import { TASK_BYTES } from "@tickwheel/core";
import type { QuotedSchema } from "../connection/session.js";
import type { RowsSql } from "./parameters.js";
import { isNumberColumn, type NumberColumn, readingOf, TASK_COLUMNS, type TaskColumn } from "./task-columns.js";

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
export type ColumnChanges = Partial<Record<TaskColumn, string>>;

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

/** Columns of a task `t` that are numbers, as one column. `numbersOf` reads them. */
export function taskNumbers(columns: readonly NumberColumn[]): string {
  return numbers(columns.map((name) => (readingOf(name) === "instant" ? wholeMs(`t.${name}`) : `t.${name}`)));
}

/** `first`, and then the others of `all`. */
function beginningWith<Name extends string>(first: readonly Name[], all: readonly Name[]): Name[] {
  return [...first, ...all.filter((name) => !first.includes(name))];
}

/** The numbers of a whole task, in the order in which they are selected. */
export const TASK_NUMBERS = beginningWith<NumberColumn>(
  [
    ...(["type_id", "state", "attempt", "max_attempts", "crash_count", "snooze_count", "priority"] as const),
    ...(["version", "fence", "timeout_ms", "scheduled_at", "due_at", "created_at"] as const),
  ],
  TASK_COLUMNS.filter(isNumberColumn),
);

type TaskField = TaskColumn | keyof NamesElsewhere;
/** A task's names that are in other tables. */
interface NamesElsewhere {
  namespace: string;
  type: string;
  node: string;
}
const FIELD_ORDER = beginningWith<TaskField>(
  [
    ...(["id", "namespace", "type", "key", "key_live", "reason", "payload", "owner", "node"] as const),
    ...(["backoff", "delivery", "result", "last_error", "created_by", "cancelled_by"] as const),
  ],
  TASK_COLUMNS.filter((name) => readingOf(name) !== undefined && !isNumberColumn(name)),
);

/** The fields that `readTask` reads, of a task `t` whose names are in other tables. */
export function taskFields(names: NamesElsewhere): string {
  return taskFieldList(names).join(", ");
}

function taskFieldList(names: NamesElsewhere): string[] {
  const fields = FIELD_ORDER.map((name) =>
    name === "namespace" || name === "type" || name === "node" ? `${names[name]} AS ${name}` : selected(name),
  );
  return [...fields, `${taskNumbers(TASK_NUMBERS)} AS numbers`];
}

function selected(name: TaskColumn): string {
  const read = readingOf(name);
  if (read === "plain") return `t.${name}`;
  return read === "list" ? `array_to_json(t.${name})::text AS ${name}` : `t.${name}::text AS ${name}`;
}

const FIELDS = taskFieldList({ namespace: "y.namespace", type: "y.type", node: "n.label" });
/** The fields that `readTask` reads, of a task `t`, its type `y` and its node `n`. */
export const TASK_FIELDS = FIELDS.join(", ");
/** Stands for `TASK_FIELDS` in a row without a task. */
export const NO_TASK_FIELDS = FIELDS.map(() => "NULL").join(", ");

/** A task's size in bytes, counted as `bytesOf` in the core does. It decompresses stored values. */
export function taskBytes(row: string): string {
  const sized: TaskColumn[] = ["payload", "result", "delivery", "last_error", "tags"];
  const lengths = sized.map((column) => `coalesce(octet_length(${row}.${column}::text), 0)`);
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

/** The rows of parallel arrays, as a relation; by default it is `r`. */
export function unnested({ arrays, names }: RowsSql, alias = "r"): string {
  return `unnest(${arrays.join(", ")}) AS ${alias} (${names})`;
}

/** The same with a column behind the others: each row's place, from 1. */
export function numbered({ arrays, names }: RowsSql, place: string, alias = "r"): string {
  return `unnest(${arrays.join(", ")}) WITH ORDINALITY AS ${alias} (${names}, ${place})`;
}

/**
 * {@link unnested} for a join by id. The LIMIT leaves no row out. Its value is unknown when a generic plan is made, so
 * the planner expects a single row and probes an index for each row, however small the table was at that moment.
 *
 * @param rows the first array's length is the number of rows
 */
export function arrayRows(rows: RowsSql): string {
  return `(SELECT * FROM ${unnested(rows)} LIMIT cardinality(${rows.arrays[0]})) AS r`;
}

/** The numbers of a `TaskHint`. */
export const HINT_NUMBERS = ["type_id", "version", "priority", "due_at"] as const;
/** The fields of a `TaskHint`. */
export const HINT_FIELDS = `t.id::text AS id, ${taskNumbers(HINT_NUMBERS)} AS hint`;
