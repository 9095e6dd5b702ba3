import type { ChangedTask, ChangedTaskFilter, TaskOutcome } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { epochMs } from "../../sql/sql-fragments.js";
import { stateOf } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/**
 * A page of what an operation remembers of the tasks that it has changed, by id. Plan: one range of the memory's
 * primary key; outcomes are compared on its rows.
 */
export const changedTasks: Statement<ChangedTaskFilter, ChangedTask> = {
  name: "changed_tasks",
  sql: (schema) => `
    SELECT m.task_id::text AS id, ${epochMs("m.at")} AS at, m.was, m.state, coalesce(m.undone, 'CHANGED') AS outcome
      FROM ${schema}.operation_task m
     WHERE m.operation_id = (SELECT o.id FROM ${schema}.operation o WHERE o.id = $1::uuid AND o.namespace = $2)
       AND m.task_id > $3::uuid AND (cardinality($4::text[]) = 0 OR coalesce(m.undone, 'CHANGED') = ANY ($4))
     ORDER BY m.operation_id, m.task_id LIMIT $5`,
  values: ({ operationId, namespace, after, outcomes, limit }) => [
    operationId,
    namespace,
    after ?? BEFORE_ALL_IDS,
    outcomes,
    limit,
  ],
  read: (row) => ({
    id: row.id as string,
    at: readInstant(row.at),
    from: stateOf(row.was),
    to: stateOf(row.state),
    outcome: row.outcome as TaskOutcome,
  }),
};
