import { FAILING_OF_LAST } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { rowNow } from "./row-now.js";

/** What became of the tasks that an operation has changed last: how many have ended an attempt, and failed. */
export interface Fallout {
  ended: number;
  failed: number;
}

/**
 * Pages go from the newest id down, so the tasks that were changed last are the first that are remembered. Plan: one
 * range of the memory's primary key, and a probe of each table for each.
 */
export const falloutOf: Statement<{ id: string }, Fallout> = {
  name: "operation_fallout",
  sql: (schema) => `
    SELECT count(*) FILTER (WHERE t.fence > m.fence AND t.state <> ${STATE.running})::integer AS ended,
           count(*) FILTER (WHERE t.fence > m.fence
             AND (t.state = ${STATE.dead} OR (t.state = ${STATE.scheduled} AND t.last_error IS NOT NULL)))::integer AS failed
      FROM (SELECT task_id, fence FROM ${schema}.operation_task WHERE operation_id = $1::uuid
             ORDER BY operation_id, task_id LIMIT ${FAILING_OF_LAST}) m
      CROSS JOIN LATERAL ${rowNow(schema, "m.task_id", ["last_error"])} t`,
  values: ({ id }) => [id],
  read: (row) => ({ ended: Number(row.ended), failed: Number(row.failed) }),
};
