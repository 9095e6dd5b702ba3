import type { Task, TaskFilter, TaskState } from "@tickwheel/core";
import { TASK_STATES } from "@tickwheel/core";
import { instant, TASK_FIELDS, taskBytes, taskFrom } from "../../sql/sql-fragments.js";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readTask } from "../../sql/task-rows.js";
import { liveAndFinished } from "./find-tasks-by-id.js";

export interface TaskLook {
  filter: TaskFilter;
  /**
   * `walk`: the newest rows below a position. `type`: the newest of the types asked for, see {@link canGoByType}.
   * `key`: all of a key.
   */
  by: "walk" | "type" | "key";
  /** The position to go on from; null: the newest. */
  below: string | null;
  /** At most so many rows are looked at. */
  rows: number;
  /** The look shows no task behind the one that reaches so many bytes. */
  maxBytes: number;
}
/** A task that fits, or none; and how far the look came. The same of the look in each row. */
export interface TaskLookRow {
  task: Task | null;
  /** Tasks that fit, shown or not: at most one more than the page holds. */
  fitting: number;
  /** Of those that are shown. */
  bytes: number;
  /** Rows that were looked at. As many as were allowed: there may be more. */
  lookedAt: number;
  /** Id of the oldest of these. */
  lowest: string | null;
}

/** Columns that filters ask for. */
const LOOKED_AT = "id, type_id, state, key, key_live, scheduled_at";
/**
 * Where a task of these states is; dead ones stay in the live table, succeeded ones leave it in the statement that ends
 * them.
 */
const LIVE_ONLY: readonly TaskState[] = ["scheduled", "running", "dead"];
const ENDED: readonly TaskState[] = ["succeeded", "dead", "cancelled", "expired"];

type Parameter = (value: unknown, type: string) => string;

/**
 * One look for tasks that fit a filter, newest id first: of at most `rows` rows, one more than the page holds. The text
 * is made for the filter, so that each condition can find its index; such statements are not hot and are planned each
 * time.
 *
 * Cost: `rows` rows of the live table and as many of history, backwards, by id or by type and id; or what the key's
 * indexes hold; without their payloads. By type, {@link unorderedKinds} are read whole. Then the tasks of the page by
 * id. History is not touched for what can only be in the live table. Payloads and results are unpacked one by one,
 * newest first, and none behind the one that reaches `maxBytes`: to measure all first would unpack what is not shown.
 */
export function lookForTasks(look: TaskLook): Statement<null, TaskLookRow> {
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

/**
 * Whether indexes that begin with a type, or hold few rows, hold all that can fit: of one type everything, of all types
 * what runs or is dead. What {@link unorderedKinds} tells is read whole: there may be too much of it.
 */
export function canGoByType(filter: TaskFilter): boolean {
  return filter.type !== undefined || statesOf(filter).every((state) => state === "running" || state === "dead");
}

/** What a look by type reads whole, since no index has it in the order of ids. */
export function unorderedKinds(filter: TaskFilter): { isWaiting: boolean; isLeaving: boolean } {
  const states = statesOf(filter);
  return { isWaiting: states.includes("scheduled"), isLeaving: states.some((state) => !LIVE_ONLY.includes(state)) };
}

/** Whether each task of the types is looked at only if it fits: the first rows are the page. */
export function isPageOfTypes({ key, live, scheduledFrom, scheduledTo, states }: TaskFilter): boolean {
  const others = [key, live, scheduledFrom, scheduledTo];
  return (
    others.every((condition) => condition === undefined) && (states ?? []).every((state) => LIVE_ONLY.includes(state))
  );
}

function readLook(row: RawRow): TaskLookRow {
  return {
    task: row.id === null ? null : readTask(row),
    fitting: Number(row.fitting),
    bytes: Number(row.bytes),
    lookedAt: Number(row.looked_at),
    lowest: row.lowest as string | null,
  };
}

function textOf(schema: QuotedSchema, { filter, by, below }: TaskLook, parameter: Parameter): string {
  const start = below === null ? null : parameter(below, "uuid");
  const isBelow = isBelowOf(start);
  const source = {
    walk: () => walk(schema, filter, isBelow),
    type: () => newestOf(typeParts(schema, filter, start)),
    key: () =>
      `SELECT ${LOOKED_AT} FROM (${keyParts(schema, filter, parameter).join(" UNION ALL ")}) e WHERE ${isBelow} LIMIT $3`,
  }[by]();
  return `
    WITH RECURSIVE kinds AS MATERIALIZED (${kindsOf(schema, filter, parameter)}),
    looked AS MATERIALIZED (${source}),
    fitting AS MATERIALIZED (
      SELECT id FROM looked WHERE ${conditionsOf(filter, parameter)} ORDER BY id DESC LIMIT $2
    ),
    placed AS MATERIALIZED (SELECT p.*, row_number() OVER (ORDER BY id DESC) AS place FROM ${pageRows(schema, filter)} p),
    shown AS (
      SELECT 0::bigint AS place, 0::bigint AS bytes
       UNION ALL
      SELECT p.place, s.bytes + ${taskBytes("p")} FROM shown s JOIN placed p ON p.place = s.place + 1 WHERE s.bytes < $4
    ),
    page AS (SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, "(SELECT * FROM placed WHERE place <= (SELECT max(place) FROM shown))")})
    SELECT page.*, extent.*
      FROM (SELECT (SELECT count(*) FROM placed)::float8 AS fitting, (SELECT max(bytes) FROM shown)::float8 AS bytes,
                   (SELECT count(*) FROM looked)::float8 AS looked_at,
                   (SELECT id::text FROM looked ORDER BY looked.id LIMIT 1) AS lowest) extent
      LEFT JOIN page ON true
     ORDER BY page.id DESC`;
}

function isBelowOf(start: string | null): string {
  return start === null ? "true" : `id < ${start}`;
}

/** The tasks of the page, in the snapshot in which they were found. */
function pageRows(schema: QuotedSchema, filter: TaskFilter): string {
  const isFitting = "id = ANY (ARRAY (SELECT id FROM fitting))";
  if (isLiveOnly(filter)) return `(SELECT * FROM ${schema}.task WHERE ${isFitting})`;
  return liveAndFinished(schema, isFitting);
}

/**
 * The types of the namespace, and in which slot the key of a look for a key is. The slot as `slotOfKey` computes it.
 */
function kindsOf(schema: QuotedSchema, { type, key }: TaskFilter, parameter: Parameter): string {
  const ofType = type === undefined ? "" : ` AND type = ${parameter(type, "text")}`;
  const slot = key === undefined ? "0" : slotSql(parameter(key, "text"));
  return `SELECT id, ${slot} AS slot FROM ${schema}.type WHERE namespace = $1${ofType}`;
}

function slotSql(key: string): string {
  const bytes = (text: string): string => `convert_to(${text}, 'UTF8')`;
  const hash = `sha256(${bytes("namespace")} || '\\x00'::bytea || ${bytes("type")} || '\\x00'::bytea || ${bytes(key)})`;
  return `(get_byte(${hash}, 0) * 16 + get_byte(${hash}, 1) / 16)::smallint`;
}

/** The newest rows by id. Each table brings as many as are wanted, so the newest of both are among them. */
function walk(schema: QuotedSchema, filter: TaskFilter, isBelow: string): string {
  const part = (table: string, condition = isBelow): string =>
    `(SELECT ${LOOKED_AT} FROM ${schema}.${table} WHERE ${condition} ORDER BY id DESC LIMIT $3)`;
  const parts = isLiveOnly(filter)
    ? [part("task")]
    : [isEnded(filter) ? endedPart(schema, filter, isBelow) : part("task"), part("history")];
  return newestOf(parts);
}

function newestOf(parts: readonly string[]): string {
  return `SELECT * FROM (${parts.join(" UNION ALL ")}) newest ORDER BY id DESC LIMIT $3`;
}

/** Ended tasks of the live table by their own index: walking by id would read all that is still to come. */
function endedPart(schema: QuotedSchema, filter: TaskFilter, isBelow: string): string {
  const ended = `SELECT ${LOOKED_AT} FROM ${schema}.task WHERE ${stateIn(statesOf(filter))} OFFSET 0`;
  return `(SELECT * FROM (${ended}) e WHERE ${isBelow} ORDER BY id DESC LIMIT $3)`;
}

/** Tasks of a key: its holders, then what holds it no more, then history, each by its index. */
function keyParts(schema: QuotedSchema, filter: TaskFilter, parameter: Parameter): string[] {
  const key = parameter(filter.key, "text");
  const columns = LOOKED_AT.replaceAll(/(\w+)/g, "t.$1");
  const holders = `SELECT ${columns} FROM kinds k JOIN ${schema}.task t ON t.slot = k.slot AND t.type_id = k.id AND t.key = ${key} AND t.key_live`;
  if (filter.live === true) return [holders];
  const former = `SELECT ${LOOKED_AT} FROM ${schema}.task WHERE key = ${key} AND NOT key_live`;
  const finished = `SELECT ${LOOKED_AT} FROM ${schema}.history WHERE key = ${key}`;
  return isLiveOnly(filter) ? [holders, former] : [holders, former, finished];
}

/**
 * Tasks of the types: those that wait, run or are about to be moved whole, since they are few; dead and finished ones
 * by type, newest first.
 *
 * A type's newest are asked for in the order of (type, id), and by a range: where the planner believes that dead tasks
 * or a type are common, since they were when it looked last, "of this type, by id" seems quickest by walking the ids of
 * all tasks, once for each type (measured: 360 ms beside 20,000 that wait, for the one millisecond that it takes by the
 * index). No index but the one by type has this order.
 */
function typeParts(schema: QuotedSchema, filter: TaskFilter, start: string | null): string[] {
  const states = statesOf(filter);
  const isBelow = isBelowOf(start);
  const isOfType = `type_id >= k.id AND ${start === null ? "type_id <= k.id" : `(type_id, id) < (k.id, ${start})`}`;
  const rows = (condition: string): string =>
    `(SELECT * FROM (SELECT ${LOOKED_AT} FROM ${schema}.task WHERE ${condition} OFFSET 0) r WHERE ${isBelow})`;
  const newest = (table: string, condition: string): string =>
    `(SELECT r.* FROM kinds k CROSS JOIN LATERAL (
        SELECT ${LOOKED_AT} FROM ${schema}.${table} WHERE ${condition} ${isOfType} ORDER BY type_id DESC, id DESC LIMIT $3) r)`;
  const leaving = states.filter((state) => !LIVE_ONLY.includes(state));
  return [
    ...(states.includes("scheduled") ? [rows(`state = ${STATE.scheduled} AND type_id IN (SELECT id FROM kinds)`)] : []),
    ...(states.includes("running")
      ? [rows(`state = ${STATE.running} AND owner IS NOT NULL AND type_id IN (SELECT id FROM kinds)`)]
      : []),
    ...(states.includes("dead") ? [newest("task", `state = ${STATE.dead} AND`)] : []),
    ...(leaving.length > 0
      ? [rows(`${stateIn(leaving)} AND type_id IN (SELECT id FROM kinds)`), newest("history", "")]
      : []),
  ];
}

/** Whether only the live table can hold what fits. */
function isLiveOnly(filter: Pick<TaskFilter, "live" | "states">): boolean {
  return statesOf(filter).every((state) => LIVE_ONLY.includes(state));
}

function isEnded(filter: TaskFilter): boolean {
  return statesOf(filter).every((state) => ENDED.includes(state));
}

/** What holds a key or, without one, has not ended, is scheduled or running; what is not live may still be. */
function statesOf({ live, states = TASK_STATES }: Pick<TaskFilter, "live" | "states">): readonly TaskState[] {
  return live === true ? states.filter((state) => !ENDED.includes(state)) : states;
}

function stateIn(states: readonly TaskState[]): string {
  return `state >= ${STATE.succeeded} AND state IN (${states.map((state) => STATE[state]).join(", ")})`;
}

function conditionsOf(filter: TaskFilter, parameter: Parameter): string {
  const states = statesOf(filter);
  const conditions = ["type_id IN (SELECT id FROM kinds)"];
  const add = (condition: string): void => void conditions.push(condition);
  if (states.length < TASK_STATES.length) add(`state IN (${states.map((state) => STATE[state]).join(", ") || "NULL"})`);
  if (filter.key !== undefined) add(`key = ${parameter(filter.key, "text")}`);
  if (filter.live !== undefined) add(liveCondition(filter));
  if (filter.scheduledFrom !== undefined) add(`scheduled_at >= ${instant(parameter(filter.scheduledFrom, "float8"))}`);
  if (filter.scheduledTo !== undefined) add(`scheduled_at < ${instant(parameter(filter.scheduledTo, "float8"))}`);
  return conditions.join(" AND ");
}

/** Live is, of keyed tasks, the one that holds the key; of others, one that has not ended. */
function liveCondition({ key, live }: TaskFilter): string {
  if (key !== undefined) return live ? "key_live" : "NOT key_live";
  return `${live ? "" : "NOT "}CASE WHEN key IS NULL THEN state < ${STATE.succeeded} ELSE key_live END`;
}
