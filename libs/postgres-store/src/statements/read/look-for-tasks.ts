import {
  type EpochMs,
  listOf,
  oneTypeOf,
  possibleStates,
  type TaskFilter,
  type TaskState,
  TERMINAL_STATES,
} from "@tickwheel/core";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { keyOfTypeSql, lastOfKeySql, newestOfKeySql } from "../../sql/key-of-type.js";
import { EXTENT_FIELDS, type LookRow, pageSql, readExtent } from "../../sql/page-sql.js";
import { STATE } from "../../sql/state-codes.js";
import { firstIdOf, ID_MARGIN_MS } from "../../sql/id-bounds.js";
import { now } from "../../sql/sql-fragments.js";
import {
  conditionsOf,
  filterColumns,
  hasConditions,
  type Parameter,
  prints,
  typeCondition,
} from "../../sql/task-filter-sql.js";
import { liveAndFinished } from "./find-tasks-by-id.js";

export interface TaskLook {
  filter: TaskFilter;
  /**
   * `walk`: the newest rows below a position. `type`: the newest of the types asked for. `key`: the newest of a key, of
   * each type asked for. `id`: those with the ids asked for. `batch`: the members of one. `print`: the newest dead
   * tasks of the types asked for whose error has one of the prints.
   */
  by: "walk" | "type" | "key" | "id" | "batch" | "print";
  /** The position to go on from; null: the newest. */
  below: string | null;
  /** At most this many rows are looked at. */
  rows: number;
  /** The tasks' bytes are added up, newest first. The task that reaches this sum is the last one shown. */
  maxBytes: number;
  asOf: EpochMs | null;
}
const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/**
 * States in which a task is always in the live table. Dead tasks stay there; succeeded ones leave it in the statement
 * that ends them.
 */
const LIVE_ONLY: readonly TaskState[] = ["scheduled", "paused", "running", "dead"];

/**
 * One look for tasks that fit a filter, newest id first. It looks at `rows` rows at most, and finds one task more than
 * the page holds. The SQL text is made for the filter, so each condition can use its index. Such statements are not
 * hot; each run is planned anew.
 *
 * Cost: `rows` rows of the live table and as many of history, backwards: by id, by type and id, or by key and id. By
 * type and by key, one probe of each partition's index comes on top, for each type. Payloads are not read here. By
 * type, {@link unorderedKinds} are read whole, and so are all members of a batch. Then the tasks of the page are read
 * by id. History is not read for tasks that can only be in the live table.
 */
export function lookForTasks(look: TaskLook): Statement<null, LookRow<string>> {
  const fixed: readonly unknown[] = [look.filter.namespace, look.filter.limit + 1, look.rows, look.maxBytes];
  const values = [...fixed];
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`;
  return {
    name: "look_for_tasks",
    isPrepared: false,
    sql: (schema) => {
      values.length = fixed.length;
      return textOf(schema, look, parameter);
    },
    values: () => values,
    read: readLook,
  };
}

/** The kinds of tasks that a look by type reads whole, since no index holds them in the order of ids. */
export function unorderedKinds(filter: TaskFilter): { isWaiting: boolean; isLeaving: boolean } {
  const states = possibleStates(filter);
  return { isWaiting: states.includes("scheduled"), isLeaving: states.some((state) => !LIVE_ONLY.includes(state)) };
}

/** Whether a look by type finds only tasks that fit, so that its first rows are the page. */
export function isPageOfTypes(filter: TaskFilter): boolean {
  const isLiveState = (filter.states ?? []).every((state) => LIVE_ONLY.some((one) => one === state));
  return isLiveState && !hasConditions({ ...filter, states: undefined, type: undefined });
}

function readLook(row: RawRow): LookRow<string> {
  return { ...readExtent(row), last: row.lowest as string | null };
}

function textOf(schema: QuotedSchema, { filter, by, below, asOf }: TaskLook, parameter: Parameter): string {
  const start = below === null ? null : parameter(below, "uuid");
  const isBelow = isBelowOf(start);
  const source = {
    walk: () => walk(schema, filter, `${isBelow}${floorOf(filter, parameter)}`),
    type: () => newestOf(typeParts(schema, filter, start)),
    key: () => newestOf(keyParts(schema, filter, { key: parameter(filter.key, "text"), start })),
    id: () =>
      newestOf(partsWhere(schema, filter, { is: `id = ANY (${parameter(listOf(filter.id), "uuid[]")})`, isBelow })),
    batch: () => newestOf(partsWhere(schema, filter, { is: `batch_id = ${parameter(filter.batch, "uuid")}`, isBelow })),
    print: () => deadOfPrint(schema, filter, { isWanted: `error_print = ANY (${prints(filter, parameter)})`, start }),
  }[by]();
  const clock = (): string => `(SELECT ${now(parameter(asOf, "float8"))})`;
  const isOfAnyType = by === "key" && oneTypeOf(filter) === null && filter.live !== true;
  const keyed = isOfAnyType ? keyedTypes(schema, filter, parameter(filter.key, "text")) : "";
  return `
    WITH RECURSIVE kinds AS MATERIALIZED (${kindsOf(schema, filter, parameter)}),${keyed}
    looked AS MATERIALIZED (${source}),
    fitting AS MATERIALIZED (
      SELECT id FROM looked WHERE ${conditionsOf(schema, filter, { parameter, now: clock })} ORDER BY id DESC LIMIT $2
    ),${pageSql(schema, { rows: pageRows(schema, filter), order: "id DESC", maxBytes: "$4" })}
    SELECT page.*, extent.*
      FROM (SELECT ${EXTENT_FIELDS}, (SELECT id::text FROM looked ORDER BY looked.id LIMIT 1) AS lowest) extent
      LEFT JOIN page ON true
     ORDER BY page.id DESC`;
}

function isBelowOf(start: string | null): string {
  return start === null ? "true" : `id < ${start}`;
}

/** Where a walk ends that looks for what was created from some time on. */
function floorOf({ createdFrom }: TaskFilter, parameter: Parameter): string {
  return createdFrom === undefined ? "" : ` AND id >= ${parameter(firstIdOf(createdFrom - ID_MARGIN_MS), "uuid")}`;
}

/** The tasks of the page, read in the snapshot in which they were found. */
function pageRows(schema: QuotedSchema, filter: TaskFilter): string {
  const isFitting = "id = ANY (ARRAY (SELECT id FROM fitting))";
  if (isLiveOnly(filter)) return `(SELECT * FROM ${schema}.task WHERE ${isFitting})`;
  return liveAndFinished(schema, isFitting);
}

/**
 * The types of the namespace and, in a look for a key, the key's slot within each type and its number in the indexes of
 * keys. The slot is computed as in `slotOfKey`.
 */
function kindsOf(schema: QuotedSchema, filter: TaskFilter, parameter: Parameter): string {
  const ofType = typeCondition(filter, parameter);
  const ofKey = filter.key === undefined ? "" : keyColumns(parameter(filter.key, "text"));
  return `SELECT id${ofKey} FROM ${schema}.type WHERE namespace = $1${ofType}`;
}

function keyColumns(key: string): string {
  return `, ${slotSql(key)} AS slot, ${keyOfTypeSql(key, "id")} AS key_of_type`;
}

function slotSql(key: string): string {
  const bytes = (text: string): string => `convert_to(${text}, 'UTF8')`;
  const hash = `sha256(${bytes("namespace")} || '\\x00'::bytea || ${bytes("type")} || '\\x00'::bytea || ${bytes(key)})`;
  return `(get_byte(${hash}, 0) * 16 + get_byte(${hash}, 1) / 16)::smallint`;
}

/** The newest rows by id. Each table gives as many rows as are wanted, so the newest of both tables are among them. */
function walk(schema: QuotedSchema, filter: TaskFilter, isBelow: string): string {
  const part = (table: string, condition = isBelow): string =>
    `(SELECT ${filterColumns(filter)} FROM ${schema}.${table} WHERE ${condition} ORDER BY id DESC LIMIT $3)`;
  const parts = isLiveOnly(filter)
    ? [part("task")]
    : [isEnded(filter) ? endedPart(schema, filter, isBelow) : part("task"), part("history")];
  return newestOf(parts);
}

function newestOf(parts: readonly string[]): string {
  return `SELECT * FROM (${parts.join(" UNION ALL ")}) newest ORDER BY id DESC LIMIT $3`;
}

/** All rows of the tables for which a condition holds that an index of each serves. */
function partsWhere(
  schema: QuotedSchema,
  filter: TaskFilter,
  { is, isBelow }: { is: string; isBelow: string },
): string[] {
  const part = (table: string): string =>
    `(SELECT * FROM (SELECT ${filterColumns(filter)} FROM ${schema}.${table} WHERE ${is} OFFSET 0) r WHERE ${isBelow})`;
  return isLiveOnly(filter) ? [part("task")] : [part("task"), part("history")];
}

/** Ended tasks of the live table, read by their own index: walking by id would read all scheduled tasks. */
function endedPart(schema: QuotedSchema, filter: TaskFilter, isBelow: string): string {
  const ended = `SELECT ${filterColumns(filter)} FROM ${schema}.task WHERE ${stateIn(possibleStates(filter))} OFFSET 0`;
  return `(SELECT * FROM (${ended}) e WHERE ${isBelow} ORDER BY id DESC LIMIT $3)`;
}

/**
 * Tasks of a key: its holders, then live tasks that hold it no more, then history, each by its own index. A type has
 * one holder at most.
 *
 * Of the others the newest of each type are asked for by a range and in the order of the index, for the reason told at
 * {@link typeParts}. No further condition stands here, not even the key: with one, the planner expects few rows, and
 * then it reads and sorts all rows of the key (950 ms for a key with 500,000 of them, instead of 5). A key with the
 * same hash is left out later, by the filter's conditions.
 */
function keyParts(schema: QuotedSchema, filter: TaskFilter, { key, start }: KeyLook): string[] {
  const columns = filterColumns(filter).replaceAll(/(\w+)/g, "t.$1");
  const end = start ?? `'${AFTER_ALL_IDS}'::uuid`;
  const holders = `
    SELECT ${columns} FROM kinds k JOIN ${schema}.task t ON t.slot = k.slot AND t.type_id = k.id AND t.key = ${key} AND t.key_live
     WHERE t.id < ${end}`;
  if (filter.live === true) return [holders];
  const kinds =
    oneTypeOf(filter) === null ? "(SELECT * FROM kinds WHERE key_of_type IN (SELECT place FROM keyed))" : "kinds";
  const newest = newestOfKeySql("k.key_of_type", end);
  const parts = keyTables(schema, filter).map(
    ({ table, condition }) =>
      `(SELECT r.* FROM ${kinds} k CROSS JOIN LATERAL (
        SELECT ${filterColumns(filter)} FROM ${table} WHERE ${condition} AND ${newest.condition}
         ORDER BY ${newest.order} LIMIT $3) r)`,
  );
  return [holders, ...parts];
}

/** The tables that have an index of keys, and its condition. */
function keyTables(schema: QuotedSchema, filter: TaskFilter): { table: string; condition: string }[] {
  const former = { table: `${schema}.task`, condition: "key IS NOT NULL AND NOT key_live" };
  return isLiveOnly(filter) ? [former] : [former, { table: `${schema}.history`, condition: "key IS NOT NULL" }];
}

/**
 * The types that a key has in its indexes, found one after the other: each is the next behind the one before. So a key
 * without a type costs as many probes as it has types, not as many as the namespace has.
 */
function keyedTypes(schema: QuotedSchema, filter: TaskFilter, key: string): string {
  const place = keyOfTypeSql();
  const next = keyTables(schema, filter).map(
    ({ table, condition }) =>
      `(SELECT ${place} AS place FROM ${table} WHERE ${condition} AND ${place} > s.place AND ${place} <= ${lastOfKeySql(key)}
         ORDER BY ${place} LIMIT 1)`,
  );
  return `
    keyed (place) AS (
      SELECT ${keyOfTypeSql(key, "0")}
       UNION ALL
      SELECT n.place FROM keyed s CROSS JOIN LATERAL (SELECT min(place) AS place FROM (${next.join(" UNION ALL ")}) t) n
       WHERE n.place IS NOT NULL
    ),`;
}

interface KeyLook {
  key: string;
  start: string | null;
}

/**
 * Tasks of the types. Scheduled and running tasks, and ended ones that are about to be moved, are read whole, since
 * they are few. Paused, dead and finished ones are read by type, newest first.
 *
 * A type's newest tasks are asked for by a range and in the order of (type, id), which only the index by type has. The
 * order "of this type, by id" would leave a choice: if the planner's last statistics say that dead tasks or the type
 * are common, it walks the ids of all tasks, once for each type. With 20,000 scheduled tasks this took 360 ms instead
 * of one millisecond.
 */
function typeParts(schema: QuotedSchema, filter: TaskFilter, start: string | null): string[] {
  const states = possibleStates(filter);
  const isBelow = isBelowOf(start);
  const rows = (condition: string): string =>
    `(SELECT * FROM (SELECT ${filterColumns(filter)} FROM ${schema}.task WHERE ${condition} OFFSET 0) r WHERE ${isBelow})`;
  const newest = (table: string, condition: string): string =>
    `(SELECT r.* FROM kinds k CROSS JOIN LATERAL (
        SELECT ${filterColumns(filter)} FROM ${schema}.${table} WHERE ${condition} ${isOfTypeBelow(start)} ORDER BY type_id DESC, id DESC LIMIT $3) r)`;
  const leaving = states.filter((state) => !LIVE_ONLY.includes(state));
  // No task can be meant.
  if (states.length === 0) return [rows("false")];
  return [
    ...(states.includes("scheduled") ? [rows(`state = ${STATE.scheduled} AND type_id IN (SELECT id FROM kinds)`)] : []),
    ...(states.includes("running")
      ? [rows(`state = ${STATE.running} AND owner IS NOT NULL AND type_id IN (SELECT id FROM kinds)`)]
      : []),
    ...(["paused", "dead"] as const)
      .filter((state) => states.includes(state))
      .map((state) => newest("task", `state = ${STATE[state]} AND`)),
    ...(leaving.length > 0
      ? [rows(`${stateIn(leaving)} AND type_id IN (SELECT id FROM kinds)`), newest("history", "")]
      : []),
  ];
}

function isOfTypeBelow(start: string | null): string {
  return `type_id >= k.id AND ${start === null ? "type_id <= k.id" : `(type_id, id) < (k.id, ${start})`}`;
}

/**
 * The newest dead tasks of the types whose error has a print. The index of a type's dead tasks has the prints, too, so
 * it is read alone until enough have been found, and what was found is read by id. The print is compared outside of
 * the read: where it is part of it the planner expects few rows, and may read each of them by its place in the table.
 */
function deadOfPrint(
  schema: QuotedSchema,
  filter: TaskFilter,
  { isWanted, start }: { isWanted: string; start: string | null },
): string {
  const dead = `SELECT id, error_print FROM ${schema}.task WHERE state = ${STATE.dead} AND ${isOfTypeBelow(start)} ORDER BY type_id DESC, id DESC OFFSET 0`;
  return `
    SELECT t.* FROM (
      SELECT r.id FROM kinds k CROSS JOIN LATERAL (SELECT id FROM (${dead}) d WHERE ${isWanted} LIMIT $3) r ORDER BY r.id DESC LIMIT $3) n
     CROSS JOIN LATERAL (SELECT ${filterColumns(filter)} FROM ${schema}.task WHERE task.id = n.id OFFSET 0) t`;
}

/** Whether only the live table can hold what fits. */
function isLiveOnly(filter: Pick<TaskFilter, "live" | "states">): boolean {
  return possibleStates(filter).every((state) => LIVE_ONLY.includes(state));
}

function isEnded(filter: TaskFilter): boolean {
  return possibleStates(filter).every((state) => TERMINAL_STATES.includes(state));
}

function stateIn(states: readonly TaskState[]): string {
  return `state >= ${STATE.succeeded} AND state IN (${states.map((state) => STATE[state]).join(", ")})`;
}
