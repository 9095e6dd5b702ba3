import type { TaskType, TypeId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readTaskType } from "./list-types.js";

/** The type of a number, dropped or not. */
export const findAnyType: Statement<{ id: TypeId }, TaskType> = {
  name: "find_any_type",
  sql: (schema) => `SELECT id, namespace, type, delivery, policy::text AS policy FROM ${schema}.type WHERE id = $1`,
  values: ({ id }) => [id],
  read: readTaskType,
};
