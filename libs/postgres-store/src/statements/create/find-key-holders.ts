import type { NewTask, Task } from "@tickwheel/core";
import { slotOfId } from "@tickwheel/core";
import { listed, parameters, rows } from "../../sql/parameters.js";
import { nodeLabels, TASK_FIELDS, unnested } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readTask } from "../../sql/task-rows.js";

interface FindKeyHolders {
  tasks: readonly NewTask[];
}

const [p, values] = parameters<FindKeyHolders>()({
  tasks: rows(({ tasks }: FindKeyHolders) => tasks, {
    slot: listed("smallint", ({ id }) => slotOfId(id)),
    type_id: listed("integer", ({ typeId }) => typeId),
    key: listed("text", ({ key }) => key),
  }),
});

/** The tasks that hold the keys of `tasks`: one probe of the unique index on the live key for each. */
export const findKeyHolders: Statement<FindKeyHolders, Task> = {
  name: "find_key_holders",
  sql: (schema) => `
    SELECT ${TASK_FIELDS} FROM ${unnested(p.tasks)}
     ${heldBy(schema, "t")}
     JOIN ${schema}.type y ON y.id = t.type_id LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = t.owner`,
  values,
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
