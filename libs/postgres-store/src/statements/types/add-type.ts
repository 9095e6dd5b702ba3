import type { EpochMs, TaskType } from "@tickwheel/core";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readTaskType } from "./list-types.js";

export interface AddType extends Omit<TaskType, "id"> {
  /** Most types of the namespace that are not dropped; null: no limit. */
  quota: number | null;
  asOf: EpochMs | null;
}

const [p, values] = parameters<AddType>()({
  asOf,
  namespace: ({ namespace }) => namespace,
  type: ({ type }) => type,
  delivery: typed("text", ({ delivery }) => delivery),
  quota: typed("integer", ({ quota }) => quota),
});

/**
 * Gives a type its number. A dropped type is taken up again, with its number and delivery. No row: the type is there
 * already, or the namespace has as many types as it may. The count is right only under `lockTypes`, taken by an earlier
 * statement. For a pull type, a change of the settings is waited for: it must lock the rows of all pull types that it
 * concerns.
 */
export const addType: Statement<AddType, TaskType> = {
  name: "add_type",
  sql: (schema) => `
    WITH settings AS MATERIALIZED (
      SELECT FROM ${schema}.revision WHERE name = 'settings' AND ${p.delivery} = 'pull' FOR SHARE
    )
    INSERT INTO ${schema}.type AS t (namespace, type, delivery, used_at)
    SELECT ${p.namespace}, ${p.type}, ${p.delivery}, ${now(p.asOf)} FROM (SELECT count(*) FROM settings) settled
     WHERE ${p.quota} IS NULL
        OR (SELECT count(*) FROM ${schema}.type WHERE namespace = ${p.namespace} AND dropped_at IS NULL) < ${p.quota}
    ON CONFLICT (namespace, type) DO UPDATE SET dropped_at = NULL, used_at = excluded.used_at WHERE t.dropped_at IS NOT NULL
    RETURNING id, namespace, type, delivery, policy::text AS policy`,
  values,
  read: readTaskType,
};
