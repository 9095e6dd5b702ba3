import {
  oneTypeOf,
  listOf,
  possibleStates,
  type TaskState,
  TERMINAL_STATES,
  type EpochMs,
  type JoinedConditions,
} from "@tickwheel/core";
import type { QuotedSchema } from "../../connection/session.js";
import { firstIdOf, ID_MARGIN_MS } from "../../sql/id-bounds.js";
import { keyOfTypeSql, lastOfKeySql, newestOfKeySql } from "../../sql/key-of-type.js";
import { instant } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { type Parameter, prints, typeCondition } from "../../sql/task-filter-sql.js";

/**
 * By what a look finds tasks. `walk`: the newest rows below a position. `type`: the newest of the types asked for.
 * `key`: the newest of a key, of each type asked for. `id`: those with the ids asked for. `batch`: the members of one.
 * `tag`: those that have all of the tags. `print`: the newest dead tasks of the types asked for whose error has one of
 * the prints. `operation`, `schedule`: those that an operation remembers, or whose runs of a schedule are kept.
 */
export type LookWay = "walk" | "type" | "key" | "id" | "batch" | "tag" | "print" | "operation" | "schedule";

/** The rows that a look reads. */
export interface LookRows {
  filter: JoinedConditions;
  by: LookWay;
  /** The position to go on from; null: the newest. */
  below: string | null;
  /** The columns that are read of each row. */
  columns: string;
}

/** The lowest id of the rows that were looked at. */
export const LOWEST = "(SELECT id::text FROM looked ORDER BY looked.id LIMIT 1) AS lowest";
const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/**
 * States in which a task is always in the live table. Dead tasks stay there; succeeded ones leave it in the statement
 * that ends them.
 */
export const LIVE_ONLY: readonly TaskState[] = ["scheduled", "paused", "running", "dead"];

/**
 * The common table expressions that read the rows of a look, newest id first: `kinds`, the types that the filter lets
 * in, and `looked`, at most `$3` rows. The namespace is `$1`. The WITH must be RECURSIVE.
 */
export function lookedSql(schema: QuotedSchema, look: LookRows, parameter: Parameter): string {
  const { filter, by, below } = look;
  const start = below === null ? null : parameter(below, "uuid");
  const isBelow = isBelowOf(start);
  const source = {
    walk: () =>
      walk(schema, look, { isBelow: `${isBelow}${floorOf(filter, parameter)}`, bounds: boundsOf(filter, parameter) }),
    type: () => newestOf(typeParts(schema, look, { start, bounds: boundsOf(filter, parameter) })),
    key: () => newestOf(keyParts(schema, look, { key: parameter(filter.key, "text"), start })),
    id: () =>
      newestOf(partsWhere(schema, look, { is: `id = ANY (${parameter(listOf(filter.id), "uuid[]")})`, isBelow })),
    batch: () => newestOf(partsWhere(schema, look, { is: `batch_id = ${parameter(filter.batch, "uuid")}`, isBelow })),
    tag: () => newestOf(partsWhere(schema, look, { is: hasTags(filter, parameter), isBelow })),
    print: () => deadOfPrint(schema, look, { isWanted: `error_print = ANY (${prints(filter, parameter)})`, start }),
    operation: () => ofList(schema, look, rememberedBy(schema, parameter(filter.operation, "uuid"), start)),
    schedule: () => ofList(schema, look, runsOf(schema, parameter(filter.schedule, "text"), start)),
  }[by]();
  const isOfAnyType = by === "key" && oneTypeOf(filter) === null && filter.live !== true;
  const keyed = isOfAnyType ? keyedTypes(schema, filter, parameter(filter.key, "text")) : "";
  return `kinds AS MATERIALIZED (${kindsOf(schema, filter, parameter)}),${keyed}
    looked AS MATERIALIZED (${source})`;
}

function isBelowOf(start: string | null): string {
  return start === null ? "true" : `id < ${start}`;
}

/**
 * What leaves rows unread, by columns that an index or the partitions hold. Each begins with AND, or is empty; it is
 * only made where it is used, since its values are parameters.
 */
interface Bounds {
  /** For scheduled tasks: their due times. */
  due: () => string;
  /** For history: the days of the ends, so that other days are not read. */
  finished: () => string;
}

function boundsOf(filter: JoinedConditions, parameter: Parameter): Bounds {
  const bound = (column: string, sign: string, at: EpochMs | undefined): string =>
    at === undefined ? "" : ` AND ${column} ${sign} ${instant(parameter(at, "float8"))}`;
  return {
    due: () => bound("due_at", ">=", filter.dueFrom) + bound("due_at", "<", filter.dueTo),
    finished: () => bound("finished_at", ">=", filter.finishedFrom) + bound("finished_at", "<", filter.finishedTo),
  };
}

/** Where a walk ends that looks for what was created from some time on. */
function floorOf({ createdFrom }: JoinedConditions, parameter: Parameter): string {
  return createdFrom === undefined ? "" : ` AND id >= ${parameter(firstIdOf(createdFrom - ID_MARGIN_MS), "uuid")}`;
}

/**
 * The types of the namespace and, in a look for a key, the key's slot within each type and its number in the indexes of
 * keys. The slot is computed as in `slotOfKey`.
 */
function kindsOf(schema: QuotedSchema, filter: JoinedConditions, parameter: Parameter): string {
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
function walk(schema: QuotedSchema, look: LookRows, { isBelow, bounds }: { isBelow: string; bounds: Bounds }): string {
  const { filter, columns } = look;
  const part = (table: string, condition = isBelow): string =>
    `(SELECT ${columns} FROM ${schema}.${table} WHERE ${condition} ORDER BY id DESC LIMIT $3)`;
  const parts = isLiveOnly(filter)
    ? [part("task")]
    : [
        isEnded(filter) ? endedPart(schema, look, isBelow) : part("task"),
        part("history", `${isBelow}${bounds.finished()}`),
      ];
  return newestOf(parts);
}

function newestOf(parts: readonly string[]): string {
  return `SELECT * FROM (${parts.join(" UNION ALL ")}) newest ORDER BY id DESC LIMIT $3`;
}

/** In the form that the indexes of tags take. */
export function hasTags({ tag }: JoinedConditions, parameter: Parameter): string {
  return `tags @> ${parameter(listOf(tag), "text[]")}`;
}

/** All rows of the tables for which a condition holds that an index of each serves. */
function partsWhere(
  schema: QuotedSchema,
  { filter, columns }: LookRows,
  { is, isBelow }: { is: string; isBelow: string },
): string[] {
  const part = (table: string): string =>
    `(SELECT * FROM (SELECT ${columns} FROM ${schema}.${table} WHERE ${is} OFFSET 0) r WHERE ${isBelow})`;
  return isLiveOnly(filter) ? [part("task")] : [part("task"), part("history")];
}

/** Ended tasks of the live table, read by their own index: walking by id would read all scheduled tasks. */
function endedPart(schema: QuotedSchema, { filter, columns }: LookRows, isBelow: string): string {
  const ended = `SELECT ${columns} FROM ${schema}.task WHERE ${stateIn(possibleStates(filter))} OFFSET 0`;
  return `(SELECT * FROM (${ended}) e WHERE ${isBelow} ORDER BY id DESC LIMIT $3)`;
}

/**
 * Tasks of a key: its holders, then live tasks that hold it no more, then history, each by its own index. A type has
 * one holder at most.
 *
 * The newest of the others of each type are asked for by a range and in the order of the index, for the reason told at
 * {@link typeParts}. No further condition stands here, not even the key: with one, the planner expects few rows, and
 * then it reads and sorts all rows of the key (950 ms for a key with 500,000 of them, instead of 5). A key with the
 * same hash is left out later, by the filter's conditions.
 */
function keyParts(schema: QuotedSchema, { filter, columns }: LookRows, { key, start }: KeyLook): string[] {
  const ofTask = columns.replaceAll(/(\w+)/g, "t.$1");
  const end = start ?? `'${AFTER_ALL_IDS}'::uuid`;
  const holders = `
    SELECT ${ofTask} FROM kinds k JOIN ${schema}.task t ON t.slot = k.slot AND t.type_id = k.id AND t.key = ${key} AND t.key_live
     WHERE t.id < ${end}`;
  if (filter.live === true) return [holders];
  const kinds =
    oneTypeOf(filter) === null ? "(SELECT * FROM kinds WHERE key_of_type IN (SELECT place FROM keyed))" : "kinds";
  const newest = newestOfKeySql("k.key_of_type", end);
  const parts = keyTables(schema, filter).map(
    ({ table, condition }) =>
      `(SELECT r.* FROM ${kinds} k CROSS JOIN LATERAL (
        SELECT ${columns} FROM ${table} WHERE ${condition} AND ${newest.condition}
         ORDER BY ${newest.order} LIMIT $3) r)`,
  );
  return [holders, ...parts];
}

/** The tables that have an index of keys, and its condition. */
function keyTables(schema: QuotedSchema, filter: JoinedConditions): { table: string; condition: string }[] {
  const former = { table: `${schema}.task`, condition: "key IS NOT NULL AND NOT key_live" };
  return isLiveOnly(filter) ? [former] : [former, { table: `${schema}.history`, condition: "key IS NOT NULL" }];
}

/**
 * The types that a key has in its indexes, found one after the other: each is the next behind the one before. So a key
 * without a type costs as many probes as it has types, not as many as the namespace has.
 */
function keyedTypes(schema: QuotedSchema, filter: JoinedConditions, key: string): string {
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
function typeParts(
  schema: QuotedSchema,
  { filter, columns }: LookRows,
  { start, bounds }: { start: string | null; bounds: Bounds },
): string[] {
  const states = possibleStates(filter);
  const isBelow = isBelowOf(start);
  const rows = (condition: string): string =>
    `(SELECT * FROM (SELECT ${columns} FROM ${schema}.task WHERE ${condition} OFFSET 0) r WHERE ${isBelow})`;
  const newest = (table: string, condition: string): string =>
    `(SELECT r.* FROM kinds k CROSS JOIN LATERAL (
        SELECT ${columns} FROM ${schema}.${table} WHERE ${condition} ${isOfTypeBelow(start)} ORDER BY type_id DESC, id DESC LIMIT $3) r)`;
  const leaving = states.filter((state) => !LIVE_ONLY.includes(state));
  // No task can be meant.
  if (states.length === 0) return [rows("false")];
  return [
    ...(states.includes("scheduled")
      ? [rows(`state = ${STATE.scheduled} AND type_id IN (SELECT id FROM kinds)${bounds.due()}`)]
      : []),
    ...(states.includes("running")
      ? [rows(`state = ${STATE.running} AND owner IS NOT NULL AND type_id IN (SELECT id FROM kinds)`)]
      : []),
    ...(["paused", "dead"] as const)
      .filter((state) => states.includes(state))
      .map((state) => newest("task", `state = ${STATE[state]} AND`)),
    ...(leaving.length > 0
      ? [
          rows(`${stateIn(leaving)} AND type_id IN (SELECT id FROM kinds)`),
          newest("history", leading(bounds.finished())),
        ]
      : []),
  ];
}

/** A bound in front of another condition. */
function leading(bound: string): string {
  return bound === "" ? "" : `${bound.slice(" AND ".length)} AND`;
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
  { columns }: LookRows,
  { isWanted, start }: { isWanted: string; start: string | null },
): string {
  const dead = `SELECT id, error_print FROM ${schema}.task WHERE state = ${STATE.dead} AND ${isOfTypeBelow(start)} ORDER BY type_id DESC, id DESC OFFSET 0`;
  return `
    SELECT t.* FROM (
      SELECT r.id FROM kinds k CROSS JOIN LATERAL (SELECT id FROM (${dead}) d WHERE ${isWanted} LIMIT $3) r ORDER BY r.id DESC LIMIT $3) n
     CROSS JOIN LATERAL (SELECT ${columns} FROM ${schema}.task WHERE task.id = n.id OFFSET 0) t`;
}

/**
 * The tasks of a list of ids, each probed by its id. One that is gone has no type, so no filter lets it in, but it was
 * looked at.
 *
 * @param ids a relation of `id`, in order
 */
function ofList(schema: QuotedSchema, { columns }: LookRows, ids: string): string {
  const ofTask = columns.replace(/\bid, /, "");
  return `
    SELECT n.id, ${ofTask.replaceAll(/(\w+)/g, "t.$1")} FROM (${ids}) n
      LEFT JOIN LATERAL (
        SELECT ${columns} FROM ${schema}.task WHERE task.id = n.id
         UNION ALL SELECT ${columns} FROM ${schema}.history WHERE history.id = n.id LIMIT 1) t ON true`;
}

function rememberedBy(schema: QuotedSchema, operation: string, start: string | null): string {
  const end = start ?? `'${AFTER_ALL_IDS}'::uuid`;
  return `SELECT o.task_id AS id FROM ${schema}.operation_task o WHERE o.operation_id = ${operation} AND o.task_id < ${end}
           ORDER BY o.operation_id DESC, o.task_id DESC LIMIT $3`;
}

/** All kept runs of a schedule are read: they are few. */
function runsOf(schema: QuotedSchema, name: string, start: string | null): string {
  const end = start ?? `'${AFTER_ALL_IDS}'::uuid`;
  return `SELECT r.task_id AS id FROM ${schema}.schedule s JOIN ${schema}.schedule_run r ON r.schedule_id = s.id
           WHERE s.namespace = $1 AND s.name = ${name} AND r.task_id < ${end} ORDER BY r.task_id DESC LIMIT $3`;
}

/** Whether only the live table can hold what fits. */
export function isLiveOnly(filter: Pick<JoinedConditions, "live" | "states">): boolean {
  return possibleStates(filter).every((state) => LIVE_ONLY.includes(state));
}

function isEnded(filter: JoinedConditions): boolean {
  return possibleStates(filter).every((state) => TERMINAL_STATES.includes(state));
}

function stateIn(states: readonly TaskState[]): string {
  return `state >= ${STATE.succeeded} AND state IN (${states.map((state) => STATE[state]).join(", ")})`;
}
