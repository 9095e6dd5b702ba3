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
     ${heldBy(schema, "t")}
     JOIN ${schema}.type y ON y.id = t.type_id LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = t.owner`,
  values: ({ tasks }) => [
    tasks.map((task) => slotOfId(task.id)),
    tasks.map((task) => task.typeId),
    tasks.map((task) => task.key),
  ],
  read: readTask,
};

/**
 * The holders of keys, as a lateral relation of rows `r` with `slot`, `type_id` and `key`: one probe of the live key
 * for each.
 *
 * @param alias the relation's name
 */
export function heldBy(schema: string, alias: string): string {
  return `CROSS JOIN LATERAL (
            SELECT * FROM ${schema}.task k WHERE k.slot = r.slot AND k.type_id = r.type_id AND k.key = r.key AND k.key_live LIMIT 1
          ) AS ${alias}`;
}
