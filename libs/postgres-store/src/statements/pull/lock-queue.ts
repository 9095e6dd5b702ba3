import type { LimitId, TypeId } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/** The limits of the type `q` and of its namespace. */
export function limitsOfQueue(schema: QuotedSchema): string {
  return `${schema}.flow_limit l ON l.namespace = q.namespace AND (l.type_id IS NULL OR l.type_id = q.id)`;
}

/**
 * Begins a pull: locks the row of its type, then the limits, then the buckets, each in the order of their numbers
 * [lock-order]. A change of the settings locks the type's row first, so it waits for the pulls under way; and what it
 * has written is seen by the next statement of a pull that has waited for it. Answers the limits that are locked. The
 * snapshot may be older than the type's lock, so a limit may be missing: then the pull says so.
 *
 * Plan: the primary key of types, and the limits of one namespace.
 */
export const lockQueue: Statement<{ typeId: TypeId }, LimitId[]> = {
  name: "lock_queue",
  sql: (schema) => `
    WITH queue AS MATERIALIZED (SELECT y.id, y.namespace FROM ${schema}.type y WHERE y.id = $1::integer FOR KEY SHARE),
    limited AS MATERIALIZED (
      SELECT l.id FROM queue q JOIN ${limitsOfQueue(schema)} ORDER BY l.id FOR UPDATE OF l
    ),
    filled AS MATERIALIZED (
      SELECT b.id FROM (SELECT id FROM limited ORDER BY id) l JOIN ${schema}.bucket b ON b.id = l.id ORDER BY b.id FOR UPDATE OF b
    )
    SELECT coalesce(array_agg(l.id), '{}') AS limit_ids FROM limited l, (SELECT count(*) FROM filled) f`,
  values: ({ typeId }) => [typeId],
  read: (row) => (row.limit_ids as number[]).map(Number),
};
