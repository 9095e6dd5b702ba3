import type { QuotedSchema } from "../../connection/session.js";
import type { TaskColumn } from "../../sql/task-columns.js";

/** What says whether a task was changed. */
const ALWAYS: readonly TaskColumn[] = ["id", "version", "fence", "state"];

/**
 * The row of a task, wherever it is, as a relation of at most one row. Plan: a probe of each table.
 *
 * @param id an expression
 * @param more columns beside those that say whether it was changed
 */
export function rowNow(schema: QuotedSchema, id: string, more: readonly TaskColumn[] = []): string {
  const columns = [...ALWAYS, ...more].join(", ");
  const from = (table: string): string => `SELECT ${columns} FROM ${schema}.${table} WHERE id = ${id}`;
  return `(${from("task")} UNION ALL ${from("history")} LIMIT 1)`;
}
