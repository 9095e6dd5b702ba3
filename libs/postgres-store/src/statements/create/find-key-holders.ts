import type { NewTask, Task } from "@tickwheel/core";
import { slotOfId } from "@tickwheel/core";
import { nodeLabels, TASK_FIELDS } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readTask } from "../../sql/task-rows.js";

/** The tasks that hold the keys of `tasks`: one probe of the unique index on the live key for each. */
export const findKeyHolders: Statement<{ tasks: readonly NewTask[] }, Task> = {
  name: "find_key_holders",
  sql: (schema) => `
    SELECT ${TASK_FIELDS} FROM unnest($1::smallint[], $2::integer[], $3::text[]) AS r (slot, type_id, key)
     CROSS JOIN LATERAL (
       SELECT * FROM ${schema}.task h WHERE h.slot = r.slot AND h.type_id = r.type_id AND h.key = r.key AND h.key_live LIMIT 1
     ) AS t
     JOIN ${schema}.type y ON y.id = t.type_id LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = t.owner`,
  values: ({ tasks }) => [
    tasks.map((task) => slotOfId(task.id)),
    tasks.map((task) => task.typeId),
    tasks.map((task) => task.key),
  ],
  read: readTask,
};
