import type { TaskType } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readTaskType } from "./list-types.js";

/** The number of a type, if it has one and is not dropped. One probe of the unique index. */
export const findType: Statement<{ namespace: string; type: string }, TaskType> = {
  name: "find_type",
  sql: (schema) => `
    SELECT id, namespace, type, delivery, policy::text AS policy FROM ${schema}.type 
     WHERE namespace = $1 AND type = $2 AND dropped_at IS NULL`,
  values: ({ namespace, type }) => [namespace, type],
  read: readTaskType,
};
