import { slotOfKey, type Task } from "@tickwheel/core";
import { TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readTask } from "../../sql/task-rows.js";

/**
 * The task that holds a key; no task in history holds one. Plan: one probe of the unique index on live keys, then one
 * of the primary key, written as in `cancelTask`, so that no plan can read the whole table.
 */
export const findKeyHolder: Statement<{ namespace: string; type: string; key: string }, Task> = {
  name: "find_key_holder",
  sql: (schema) => `
    SELECT ${TASK_FIELDS} FROM ${taskFrom(
      schema,
      `(SELECT * FROM ${schema}.task h
         WHERE h.slot = $3::smallint AND h.key = $4::text AND h.key_live
           AND h.type_id = (SELECT id FROM ${schema}.type WHERE namespace = $1 AND type = $2))`,
    )}`,
  values: ({ namespace, type, key }) => [namespace, type, slotOfKey(namespace, type, key), key],
  read: readTask,
};
