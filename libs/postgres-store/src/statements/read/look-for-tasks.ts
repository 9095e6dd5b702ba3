import { type EpochMs, type JoinedConditions, possibleStates, type TaskFilter } from "@tickwheel/core";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { EXTENT_FIELDS, type LookRow, pageSql, readExtent } from "../../sql/page-sql.js";
import { now } from "../../sql/sql-fragments.js";
import { conditionsOf, filterColumns, hasConditions, type Parameter } from "../../sql/task-filter-sql.js";
import { writtenAnew } from "../../sql/written-anew.js";
import { liveAndFinished } from "./find-tasks-by-id.js";
import { isLiveOnly, LIVE_ONLY, lookedSql, type LookWay, LOWEST } from "./look-source.js";

export interface TaskLook {
  filter: TaskFilter;
  by: LookWay;
  /** The position to go on from; null: the newest. */
  below: string | null;
  /** At most this many rows are looked at. */
  rows: number;
  /** The tasks' bytes are added up, newest first. The task that reaches this sum is the last one shown. */
  maxBytes: number;
  asOf: EpochMs | null;
}
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
  return writtenAnew({
    name: "look_for_tasks",
    fixed: [look.filter.namespace, look.filter.limit + 1, look.rows, look.maxBytes],
    textOf: (schema, parameter) => textOf(schema, look, parameter),
    read: readLook,
  });
}

/** The kinds of tasks that a look by type reads whole, since no index holds them in the order of ids. */
export function unorderedKinds(filter: JoinedConditions): { isWaiting: boolean; isLeaving: boolean } {
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
  const looked = lookedSql(schema, { filter, by, below, columns: filterColumns(filter) }, parameter);
  const clock = (): string => `(SELECT ${now(parameter(asOf, "float8"))})`;
  return `
    WITH RECURSIVE ${looked},
    fitting AS MATERIALIZED (
      SELECT id FROM looked WHERE ${conditionsOf(schema, filter, { parameter, now: clock })} ORDER BY id DESC LIMIT $2
    ),${pageSql(schema, { rows: pageRows(schema, filter), order: "id DESC", maxBytes: "$4" })}
    SELECT page.*, extent.*
      FROM (SELECT ${EXTENT_FIELDS}, ${LOWEST}) extent
      LEFT JOIN page ON true
     ORDER BY page.id DESC`;
}

/** The tasks of the page, read in the snapshot in which they were found. */
function pageRows(schema: QuotedSchema, filter: TaskFilter): string {
  const isFitting = "id = ANY (ARRAY (SELECT id FROM fitting))";
  if (isLiveOnly(filter)) return `(SELECT * FROM ${schema}.task WHERE ${isFitting})`;
  return liveAndFinished(schema, isFitting);
}
