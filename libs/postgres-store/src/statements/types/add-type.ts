import type { EpochMs, TaskType } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readTaskType } from "./list-types.js";

export interface AddType extends Omit<TaskType, "id"> {
  /** Most types of the namespace that are not dropped; null: no limit. */
  quota: number | null;
  asOf: EpochMs | null;
}

/**
 * Gives a type its number. A dropped type is taken up again, with its number and delivery. No row: the type is there
 * already, or the namespace has as many types as it may. The count is right only under `lockTypes`, taken by an earlier
 * statement.
 */
export const addType: Statement<AddType, TaskType> = {
  name: "add_type",
  sql: (schema) => `
    INSERT INTO ${schema}.type AS t (namespace, type, delivery, used_at)
    SELECT $2, $3, $4, ${now("$1")}
     WHERE $5::integer IS NULL
        OR (SELECT count(*) FROM ${schema}.type WHERE namespace = $2 AND dropped_at IS NULL) < $5::integer
    ON CONFLICT (namespace, type) DO UPDATE SET dropped_at = NULL, used_at = excluded.used_at WHERE t.dropped_at IS NOT NULL
    RETURNING id, namespace, type, delivery, policy::text AS policy`,
  values: ({ namespace, type, delivery, quota, asOf }) => [asOf, namespace, type, delivery, quota],
  read: readTaskType,
};
