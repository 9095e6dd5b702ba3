import type { FoundStep, StepName } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readText } from "../../sql/task-rows.js";

/** The step of this name, and how many steps the task has. Plan: the primary key of steps, at most `MAX_STEPS` rows. */
export const findStep: Statement<StepName, FoundStep> = {
  name: "find_step",
  sql: (schema) => `
    SELECT count(*)::integer AS count, count(*) FILTER (WHERE s.name = $2)::integer AS found,
           max(s.result::text) FILTER (WHERE s.name = $2) AS result
      FROM ${schema}.step s WHERE s.task_id = $1`,
  values: ({ taskId, name }) => [taskId, name],
  read: (row) => ({
    stored: Number(row.found) === 0 ? null : { result: readText(row.result) },
    count: Number(row.count),
  }),
};
