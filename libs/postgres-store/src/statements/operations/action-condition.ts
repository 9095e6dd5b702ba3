import { ACTION_RULES, MAX_TAGS, MAX_TAGS_BYTES, type OperationPlan, SCHEDULE_KEY } from "@tickwheel/core";
import { STATE } from "../../sql/state-codes.js";
import type { TaskColumn } from "../../sql/task-columns.js";
import type { Parameter } from "../../sql/task-filter-sql.js";

/** The columns that the conditions of actions compare. */
export const ACTED_COLUMNS = [
  "state",
  "key",
  "tags",
  "attempt",
  "last_error",
  "cancel_requested_at",
] as const satisfies readonly TaskColumn[];

/** Whether an action changes a row, whatever its filter says: what `isActedOn` of the core says, in SQL. */
export function actionCondition(
  row: string,
  { action, options }: Pick<OperationPlan, "action" | "options">,
  parameter: Parameter,
): string {
  const { states, sparesOccurrences } = ACTION_RULES[action];
  const isInState = `(${row}.state + 0) IN (${states.map((state) => STATE[state]).join(", ")})`;
  const isSpared = `NOT coalesce(starts_with(${row}.key, '${SCHEDULE_KEY}'), false)`;
  const hasTag = (): string => `coalesce(${parameter(options.tag, "text")} = ANY (${row}.tags), false)`;
  const more: Partial<Record<typeof action, () => string>> = {
    cancel: () => `${row}.cancel_requested_at IS NULL`,
    retry: () => `(${row}.state <> ${STATE.scheduled} OR ${row}.attempt > 0 OR ${row}.last_error IS NOT NULL)`,
    add_tag: () => `NOT ${hasTag()} AND ${hasRoom(row, parameter(options.tag, "text"))}`,
    remove_tag: hasTag,
  };
  const also = more[action]?.();
  return [isInState, ...(sparesOccurrences ? [isSpared] : []), ...(also === undefined ? [] : [also])].join(" AND ");
}

function hasRoom(row: string, tag: string): string {
  return `coalesce(cardinality(${row}.tags), 0) < ${MAX_TAGS}
          AND octet_length(coalesce(array_to_string(${row}.tags, ''), '') || ${tag}) <= ${MAX_TAGS_BYTES}`;
}
