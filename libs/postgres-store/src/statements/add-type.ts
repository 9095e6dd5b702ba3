import type { TaskType } from "@tickwheel/core";
import type { Statement } from "../session.js";
import { readTaskType } from "./list-types.js";

/** Gives a type its number. No row: somebody was faster. */
export const addType: Statement<Omit<TaskType, "id">, TaskType> = {
  name: "add_type",
  sql: (schema) => `
    INSERT INTO ${schema}.type (namespace, type, delivery) VALUES ($1, $2, $3)
    ON CONFLICT (namespace, type) DO NOTHING
    RETURNING id, namespace, type, delivery`,
  values: ({ namespace, type, delivery }) => [namespace, type, delivery],
  read: readTaskType,
};
