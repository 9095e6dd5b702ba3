import type { EpochMs, PolicyConflict } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** What of a type's policies live nodes announce. */
const ANNOUNCED = (schema: string): string => `
  SELECT p.type_id, p.policy::text AS policy, n.boot_id, n.label, n.joined_at FROM ${schema}.type_policy p JOIN ${schema}.node n ON n.boot_id = p.boot_id
   WHERE n.state IN ('live', 'draining')`;

/**
 * Puts in force, for each type, what the node announces that joined last among those that are live for long enough. Any
 * number of nodes may do so: all find the same. Policies are compared as texts; a node writes its own always alike.
 *
 * Plan: all announcements, a row for each handler of each node.
 */
export const settlePolicies: Statement<{ settledMs: number; asOf: EpochMs | null }, never> = {
  name: "settle_policies",
  sql: (schema) => `
    WITH gone AS (
      DELETE FROM ${schema}.type_policy p
       WHERE NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.boot_id = p.boot_id AND n.state IN ('live', 'draining'))
    ),
    chosen AS (
      SELECT DISTINCT ON (type_id) type_id, policy FROM (${ANNOUNCED(schema)}) a
       WHERE joined_at <= (SELECT ${now("$1")} - $2::float8 * interval '1 millisecond')
       ORDER BY type_id, joined_at DESC, boot_id DESC
    )
    UPDATE ${schema}.type y SET policy = c.policy::json FROM chosen c WHERE y.id = c.type_id AND y.policy::text IS DISTINCT FROM c.policy`,
  values: ({ settledMs, asOf }) => [asOf, settledMs],
  read: (row) => row as never,
};

/** Types that live nodes want to be run differently. */
export const policyConflicts: Statement<null, PolicyConflict> = {
  name: "policy_conflicts",
  sql: (schema) => `
    SELECT y.id, y.namespace, y.type, to_json(array_agg(a.label ORDER BY a.label) FILTER (WHERE a.policy IS DISTINCT FROM y.policy::text))::text AS others
      FROM (${ANNOUNCED(schema)}) a JOIN ${schema}.type y ON y.id = a.type_id
     GROUP BY y.id HAVING count(DISTINCT a.policy) > 1`,
  values: () => [],
  read: (row) => ({
    typeId: Number(row.id),
    namespace: row.namespace as string,
    type: row.type as string,
    others: JSON.parse((row.others as string | null) ?? "[]") as string[],
  }),
};
