import { type EpochMs, TASK_STATES, type TaskFilter, type TaskState, TERMINAL_STATES } from "@tickwheel/core";
import type { QuotedSchema } from "../connection/session.js";
import { instant, nodeLabels } from "./sql-fragments.js";
import { STATE } from "./state-codes.js";

export type Parameter = (value: unknown, type: string) => string;

/**
 * The columns that the conditions of this filter compare. Others are not read: the text of an error can be long, and a
 * list keeps what it has looked at until it ends.
 */
export function filterColumns(filter: TaskFilter): string {
  const columns = ["id", "type_id", "state", "key", "key_live", "tags"];
  columns.push(...rangesOf(filter).map(({ column }) => column));
  if (filter.error !== undefined) columns.push("last_error");
  if (filter.node !== undefined) columns.push("owner", "journal_count");
  return columns.join(", ");
}

/**
 * The conditions of a filter, over rows that have the columns of {@link filterColumns}.
 *
 * @param parameter adds a value to the statement's, and answers the expression that stands for it
 */
export function conditionsOf(schema: QuotedSchema, filter: TaskFilter, parameter: Parameter): string {
  const states = statesOf(filter);
  const conditions = ["type_id IN (SELECT id FROM kinds)"];
  const add = (condition: string): void => void conditions.push(condition);
  if (states.length < TASK_STATES.length) add(`state IN (${states.map((state) => STATE[state]).join(", ") || "NULL"})`);
  if (filter.key !== undefined) add(`key = ${parameter(filter.key, "text")}`);
  if (filter.live !== undefined) add(liveCondition(filter));
  if (filter.tag !== undefined) add(`${parameter(filter.tag, "text")} = ANY (tags)`);
  for (const { column, from, to } of rangesOf(filter)) {
    if (from !== undefined) add(`${column} >= ${instant(parameter(from, "float8"))}`);
    if (to !== undefined) add(`${column} < ${instant(parameter(to, "float8"))}`);
  }
  if (filter.error !== undefined) add(`position(lower(${parameter(filter.error, "text")}) IN lower(last_error)) > 0`);
  if (filter.node !== undefined) add(nodeCondition(schema, parameter(filter.node, "text")));
  return conditions.join(" AND ");
}

/** Whether the filter leaves out anything besides other namespaces. */
export function hasConditions(filter: TaskFilter): boolean {
  const { namespace: _namespace, tab: _tab, limit: _limit, after: _after, maxBytes: _maxBytes, ...conditions } = filter;
  return Object.values(conditions).some((condition) => condition !== undefined);
}

/** The instants that the filter bounds. */
function rangesOf(filter: TaskFilter): { column: string; from?: EpochMs; to?: EpochMs }[] {
  return [
    { column: "scheduled_at", from: filter.scheduledFrom, to: filter.scheduledTo },
    { column: "due_at", from: filter.dueFrom, to: filter.dueTo },
    { column: "created_at", from: filter.createdFrom, to: filter.createdTo },
  ].filter(({ from, to }) => from !== undefined || to !== undefined);
}

/**
 * Whether a node with this label runs the task or ran it last. A task that waits has no owner any more, so its journal
 * is asked: one probe of each kept day of the journal, only for tasks that have stored entries.
 */
function nodeCondition(schema: QuotedSchema, label: string): string {
  const owners = `SELECT n.boot_id FROM ${nodeLabels(schema)} n WHERE n.label = ${label}`;
  const last = `SELECT j.node FROM ${schema}.journal j WHERE j.task_id = looked.id AND j.node IS NOT NULL ORDER BY j.seq DESC LIMIT 1`;
  return `CASE WHEN owner IS NOT NULL THEN owner IN (${owners}) ELSE journal_count > 0 AND (${last}) = ${label} END`;
}

/** A keyed task is live while it holds its key; an unkeyed one until it ends. */
function liveCondition({ key, live }: TaskFilter): string {
  if (key !== undefined) return live ? "key_live" : "NOT key_live";
  return `${live ? "" : "NOT "}CASE WHEN key IS NULL THEN state < ${STATE.succeeded} ELSE key_live END`;
}

/**
 * The states that can fit. A live task waits or runs. A task that is not live may be, too: it may have lost
 * its key while it runs.
 */
export function statesOf({ live, states = TASK_STATES }: Pick<TaskFilter, "live" | "states">): readonly TaskState[] {
  return live === true ? states.filter((state) => !TERMINAL_STATES.includes(state)) : states;
}
