import type { DeliveryKind, TaskType } from "@tickwheel/core";
import type { RawRow, Statement } from "../session.js";

/** All types of all namespaces: a small table. */
export const listTypes: Statement<null, TaskType> = {
  name: "list_types",
  sql: (schema) => `SELECT id, namespace, type, delivery FROM ${schema}.type ORDER BY id`,
  values: () => [],
  read: readTaskType,
};

export function readTaskType(row: RawRow): TaskType {
  return {
    id: Number(row.id),
    namespace: row.namespace as string,
    type: row.type as string,
    delivery: row.delivery as DeliveryKind,
  };
}
