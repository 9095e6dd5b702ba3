import type { TypeId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Waits for the pulls under way of the types that a change concerns, and lets none begin before its commit
 * [lock-order]. A type is none of these unless consumers pull its tasks. Without a type: all of the namespace.
 */
export const lockPullTypes: Statement<{ namespace: string | null; typeId: TypeId | null }, never> = {
  name: "lock_pull_types",
  sql: (schema) => `
    SELECT y.id FROM ${schema}.type y
     WHERE y.delivery = 'pull' AND CASE WHEN $2::integer IS NULL THEN y.namespace = $1 ELSE y.id = $2::integer END
     ORDER BY y.id FOR UPDATE`,
  values: ({ namespace, typeId }) => [namespace, typeId],
  read: (row) => row as never,
};
