import { type EpochMs, TAB_RULES, type TabPlace, type TaskFilter, type TaskTab } from "@tickwheel/core";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { newestOfKeySql, keyOfTypeSql } from "../../sql/key-of-type.js";
import { EXTENT_FIELDS, type LookRow, pageSql, readExtent } from "../../sql/page-sql.js";
import { epochMs, instant, now } from "../../sql/sql-fragments.js";
import { TASK_COLUMNS } from "../../sql/task-columns.js";
import { STATE } from "../../sql/state-codes.js";
import {
  conditionsOf,
  filterColumns,
  namesItsTypes,
  type Parameter,
  typeCondition,
} from "../../sql/task-filter-sql.js";
import { readInstant } from "../../sql/task-rows.js";
import { writtenAnew } from "../../sql/written-anew.js";

export type TabFilter = TaskFilter & { tab: TaskTab };

export interface TabLook {
  /** `states` are among those of the tab. */
  filter: TabFilter;
  /** Whether finished tasks are read type by type, so that none of another namespace is looked at. */
  isByType: boolean;
  /** The tasks behind this place are looked for; of `finished`, only those of its day. Its instant may be infinite. */
  from: TabPlace;
  /** At most this many rows are looked at. */
  rows: number;
  /** The task that reaches this sum of bytes is the last one shown. */
  maxBytes: number;
  asOf: EpochMs | null;
}

/** What the parts of the text have in common. */
interface Parts {
  schema: QuotedSchema;
  filter: TabFilter;
  isByType: boolean;
  columns: string;
  parameter: Parameter;
}

/** The place that a look goes on from. */
const AT = instant("$5");
const ID = "$6::uuid";
const ROWS = "LIMIT $3";

/**
 * One look for tasks of a tab that fit a filter, in the tab's order. It looks at `rows` rows at most, and finds one
 * task more than the page holds. The SQL text is made for the filter; each run is planned anew.
 *
 * Cost: of overdue, scheduled, failing and dead tasks `rows` entries of an index for each type, index only where the
 * table has been vacuumed, and `rows` tasks by id. All running tasks, which are as few as places. For paused tasks,
 * `rows` of each type's own index. For finished ones, `rows` of the day's partition by the index of keys, of types (of
 * each type as many) or of ids, and the ended tasks of the day that are about to be moved to it.
 */
export function lookInTab({
  filter,
  isByType,
  from,
  rows,
  maxBytes,
  asOf,
}: TabLook): Statement<null, LookRow<TabPlace>> {
  const at = Number.isFinite(from.at) ? from.at : null;
  return writtenAnew({
    name: "look_in_tab",
    fixed: [filter.namespace, filter.limit + 1, rows, maxBytes, at, from.id, asOf],
    textOf: (schema, parameter) => textOf({ schema, filter, isByType, columns: filterColumns(filter), parameter }),
    read: readLook,
  });
}

function readLook(row: RawRow): LookRow<TabPlace> {
  const last = row.last_id === null ? null : { at: readInstant(row.last_at), id: row.last_id as string };
  return { ...readExtent(row), last };
}

function textOf(parts: Parts): string {
  const { schema, filter, parameter } = parts;
  const { tab } = filter;
  const fits = tab === "failing" ? " AND (attempt > 0 OR has_error)" : "";
  const [forth, back] = TAB_RULES[tab].isNewestFirst ? ["DESC", "ASC"] : ["ASC", "DESC"];
  const order = tab === "paused" || tab === "finished" ? "" : `${ORDERED_BY[tab]} ${forth}, `;
  return `
    WITH RECURSIVE clock AS MATERIALIZED (SELECT ${now("$7")} AS now),
    kinds AS MATERIALIZED (${kindsOf(parts)}),
    looked AS MATERIALIZED (${SOURCES[tab](parts)}),
    fitting AS MATERIALIZED (
      SELECT id FROM looked WHERE ${conditionsOf(schema, filter, { parameter, now: () => "(SELECT now FROM clock)" })}${fits} ORDER BY at ${forth}, id ${forth} LIMIT $2
    ),${pageSql(schema, { rows: pageRows(parts), order: `${order}id ${forth}`, maxBytes: "$4" })}
    SELECT page.*, extent.*
      FROM (SELECT ${EXTENT_FIELDS}, ends.* FROM (SELECT) one
              LEFT JOIN (SELECT id::text AS last_id, ${epochMs("at")} AS last_at FROM looked ORDER BY at ${back}, looked.id ${back} LIMIT 1) ends ON true
           ) extent
      LEFT JOIN page ON true
     ORDER BY page.place`;
}

/** The tasks of the page, read in the snapshot in which they were found. */
function pageRows({ schema, filter }: Parts): string {
  const isFitting = "id = ANY (ARRAY (SELECT id FROM fitting))";
  const columns = TASK_COLUMNS.join(", ");
  const live = `SELECT ${columns} FROM ${schema}.task WHERE ${isFitting}`;
  if (filter.tab !== "finished") return `(${live})`;
  return `(${live} UNION ALL SELECT ${columns} FROM ${schema}.history WHERE ${isFitting} AND ${IN_DAY})`;
}

/** The types of the namespace that the filter lets in, and the number of its key in the indexes of keys. */
function kindsOf({ schema, filter, parameter }: Parts): string {
  const { key } = filter;
  const ofKey = key === undefined ? "" : `, ${keyOfTypeSql(parameter(key, "text"), "id")} AS key_of_type`;
  const ofType = typeCondition(filter, parameter);
  return `SELECT id${ofKey} FROM ${schema}.type WHERE namespace = $1${ofType}`;
}

const ORDERED_BY = {
  overdue: "due_at",
  scheduled: "due_at",
  failing: "due_at",
  running: "claimed_at",
  dead: "finished_at",
} as const;

const IN_DAY = `finished_at >= ${AT} AND finished_at < ${AT} + interval '24 hours'`;

const SOURCES: Record<TaskTab, (parts: Parts) => string> = {
  overdue: (parts) => alongDueTimes(parts, "AND due_at <= (SELECT now FROM clock)"),
  scheduled: (parts) => alongDueTimes(parts, "AND due_at > (SELECT now FROM clock)"),
  failing: (parts) =>
    alongDueTimes({ ...parts, columns: `${withAttempt(parts.columns)}, last_error IS NOT NULL AS has_error` }),
  running: ({ schema, columns }) => `
    SELECT * FROM (SELECT ${columns}, claimed_at AS at FROM ${schema}.task WHERE state = ${STATE.running} AND owner IS NOT NULL OFFSET 0) r
     WHERE type_id IN (SELECT id FROM kinds) AND (at, id) > (coalesce(${AT}, '-infinity'), ${ID}) ORDER BY at, id ${ROWS}`,
  paused: ({ schema, columns }) => `
    SELECT r.* FROM kinds k CROSS JOIN LATERAL (
      SELECT ${columns}, coalesce(${AT}, to_timestamp(0)) AS at FROM ${schema}.task
       WHERE state = ${STATE.paused} AND type_id <= k.id AND (type_id, id) > (k.id, ${ID}) ORDER BY type_id, id ${ROWS}) r
     ORDER BY id ${ROWS}`,
  dead: alongDeaths,
  finished: finishedOfDay,
};

function withAttempt(columns: string): string {
  return columns.split(", ").includes("attempt") ? columns : `${columns}, attempt`;
}

/** Scheduled tasks by their due times. The filter's bounds stand here too: the range of the index ends at them. */
function alongDueTimes({ schema, filter, columns, parameter }: Parts, bound = ""): string {
  const { dueFrom, dueTo } = filter;
  const from = dueFrom === undefined ? "" : `AND due_at >= ${instant(parameter(dueFrom, "float8"))}`;
  const to = dueTo === undefined ? "" : `AND due_at < ${instant(parameter(dueTo, "float8"))}`;
  const ofType = `
        SELECT id, due_at AS at FROM ${schema}.task
         WHERE state = ${STATE.scheduled} AND type_id = k.id AND (due_at, id) > (coalesce(${AT}, '-infinity'), ${ID}) ${bound} ${from} ${to}
         ORDER BY due_at, id`;
  return firstOfTypes({ schema, columns }, ofType, "at, id");
}

/**
 * Dead tasks, the last one to die first. A range and the order of the whole index leave the planner no choice, as in
 * the list by id.
 */
function alongDeaths({ schema, columns }: Parts): string {
  const ofType = `
        SELECT id, finished_at AS at FROM ${schema}.task
         WHERE state = ${STATE.dead} AND type_id >= k.id AND (type_id, finished_at, id) < (k.id, coalesce(${AT}, 'infinity'), ${ID})
         ORDER BY type_id DESC, finished_at DESC, id DESC`;
  return firstOfTypes({ schema, columns }, ofType, "at DESC, id DESC");
}

/**
 * The first tasks of all types. The types are walked one by one in the index alone, what comes first of each is merged,
 * and only what is left is read by id. OFFSET 0 keeps the planner from joining the whole table.
 */
function firstOfTypes({ schema, columns }: Pick<Parts, "schema" | "columns">, ofType: string, order: string): string {
  return `
    SELECT t.*, n.at FROM (
      SELECT r.* FROM kinds k CROSS JOIN LATERAL (${ofType} ${ROWS}) r ORDER BY ${order} ${ROWS}) n
     CROSS JOIN LATERAL (SELECT ${columns} FROM ${schema}.task WHERE task.id = n.id OFFSET 0) t`;
}

/**
 * What finished in a day, by id: history has no order of time within its partitions. As in the list by id, a range and
 * the order of the index leave the planner no choice.
 */
function finishedOfDay({ schema, filter, isByType, columns }: Parts): string {
  const start = `${AT} AS at`;
  const history = `SELECT ${columns}, ${start} FROM ${schema}.history WHERE ${IN_DAY}`;
  const ofKinds = (range: string, order: string): string =>
    `SELECT r.* FROM kinds k CROSS JOIN LATERAL (${history} AND ${range} ORDER BY ${order} ${ROWS}) r`;
  const newest = newestOfKeySql("k.key_of_type", ID);
  const kept = {
    key: () => ofKinds(`key IS NOT NULL AND ${newest.condition}`, newest.order),
    type: () => ofKinds(`type_id >= k.id AND (type_id, id) < (k.id, ${ID})`, "type_id DESC, id DESC"),
    id: () => `${history} AND id < ${ID} ORDER BY id DESC ${ROWS}`,
  }[filter.key !== undefined ? "key" : isByType || namesItsTypes(filter) ? "type" : "id"]();
  const leaving = `
    SELECT ${columns}, ${start} FROM ${schema}.task
     WHERE state >= ${STATE.succeeded} AND state IN (${STATE.succeeded}, ${STATE.cancelled}, ${STATE.expired}) AND ${IN_DAY} OFFSET 0`;
  return `
    SELECT * FROM ((${kept}) UNION ALL (SELECT * FROM (${leaving}) l WHERE id < ${ID} ORDER BY id DESC ${ROWS})) ended
     ORDER BY id DESC ${ROWS}`;
}
