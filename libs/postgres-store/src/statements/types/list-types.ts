import type { DeliveryKind, EpochMs, TaskType, TypePolicy } from "@tickwheel/core";
import type { RawRow, Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * All types of all namespaces that are not dropped; the table is small. A type that was dropped within the last day but
 * has scheduled tasks is listed, too: a node that did not yet know of the drop made them.
 */
export const listTypes: Statement<{ asOf: EpochMs | null }, TaskType> = {
  name: "list_types",
  sql: (schema) => `
    SELECT y.id, y.namespace, y.type, y.delivery, y.policy::text AS policy FROM ${schema}.type y
     WHERE y.dropped_at IS NULL
        OR (y.dropped_at > (SELECT ${now("$1")} - interval '1 day')
            AND EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.scheduled} AND t.type_id = y.id))
     ORDER BY y.id`,
  values: ({ asOf }) => [asOf],
  read: readTaskType,
};

export function readTaskType(row: RawRow): TaskType {
  return {
    id: Number(row.id),
    namespace: row.namespace as string,
    type: row.type as string,
    delivery: row.delivery as DeliveryKind,
    ...(row.policy === null ? {} : { policy: JSON.parse(row.policy as string) as TypePolicy }),
  };
}
