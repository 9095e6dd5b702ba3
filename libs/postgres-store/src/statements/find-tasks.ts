import type { Task, TaskFilter } from "@tickwheel/core";
import { slotOfKey } from "@tickwheel/core";
import { instant, TASK_COLUMNS, TASK_FIELDS, taskFrom } from "../sql-fragments.js";
import type { QuotedSchema, Statement } from "../session.js";
import { STATE } from "../state-codes.js";
import { readTask } from "../task-rows.js";

/**
 * A page of tasks, newest id first, and one more if there is one. The text is made for the filter, so that each condition can find its
 * index; such statements are not hot and are planned each time.
 *
 * Cost: live tasks and history are read by id, backwards, until the page is full. A filter that leaves out almost everything reads much;
 * these have an index: the holder of a key (type, key and live), ended tasks of the live table (states).
 */
export function findTasks(filter: TaskFilter): Statement<null, Task> {
  const values: unknown[] = [filter.namespace, filter.limit + 1];
  const parameter = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  return {
    name: "find_tasks",
    isPrepared: false,
    sql: (schema) => {
      values.length = 2;
      return pageOf(schema, conditionsOf(schema, { filter, parameter }));
    },
    values: () => values,
    read: readTask,
  };
}

function pageOf(schema: QuotedSchema, condition: string): string {
  const columns = TASK_COLUMNS.join(", ");
  const part = (table: string): string =>
    `(SELECT ${columns} FROM ${schema}.${table} WHERE ${condition} ORDER BY id DESC LIMIT $2)`;
  return `
    SELECT ${TASK_FIELDS} FROM ${taskFrom(schema, `(${part("task")} UNION ALL ${part("history")})`)}
     ORDER BY t.id DESC LIMIT $2`;
}

function conditionsOf(
  schema: QuotedSchema,
  { filter, parameter }: { filter: TaskFilter; parameter: (value: unknown, type: string) => string },
): string {
  const ofType = filter.type === undefined ? "" : ` AND type = ${parameter(filter.type, "text")}`;
  const conditions = [`type_id IN (SELECT id FROM ${schema}.type WHERE namespace = $1${ofType})`];
  const add = (condition: string): void => void conditions.push(condition);
  if (filter.states) add(`state IN (${filter.states.map((state) => STATE[state]).join(", ") || "NULL"})`);
  if (filter.key !== undefined) add(`key = ${parameter(filter.key, "text")}`);
  if (filter.key !== undefined && filter.type !== undefined) {
    add(`slot = ${parameter(slotOfKey(filter.namespace, filter.type, filter.key), "smallint")}`);
  }
  if (filter.live !== undefined) add(liveCondition(filter));
  if (filter.scheduledFrom !== undefined) add(`scheduled_at >= ${instant(parameter(filter.scheduledFrom, "float8"))}`);
  if (filter.scheduledTo !== undefined) add(`scheduled_at < ${instant(parameter(filter.scheduledTo, "float8"))}`);
  if (filter.after !== undefined) add(`id < ${parameter(filter.after, "uuid")}`);
  return conditions.join(" AND ");
}

/** Live is, of keyed tasks, the one that holds the key; of others, one that has not ended. */
function liveCondition({ key, live }: TaskFilter): string {
  if (key !== undefined) return live ? "key_live" : "NOT key_live";
  return `${live ? "" : "NOT "}CASE WHEN key IS NULL THEN state < ${STATE.succeeded} ELSE key_live END`;
}
