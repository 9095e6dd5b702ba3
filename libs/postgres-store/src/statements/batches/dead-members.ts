import type { Statement } from "../../connection/session.js";
import { membersInState } from "../../sql/batch-sql.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * Members that were dead when the retries of their batch began, by id. Plan: one range of the index of members; those
 * that have died since are passed over.
 */
export const deadMembers: Statement<
  { id: string; limit: number; after: string | null },
  { id: string; namespace: string }
> = {
  name: "dead_batch_members",
  sql: (schema) => `
    SELECT t.id::text AS id, b.namespace FROM ${schema}.batch b JOIN ${schema}.task t ON t.batch_id = $1::uuid
     WHERE b.id = $1::uuid AND t.finished_at <= b.retrying_since
       AND ${membersInState("t", { batch: "$1::uuid", state: `${STATE.dead}::smallint`, after: "$2::uuid" })} LIMIT $3`,
  values: ({ id, limit, after }) => [id, after ?? BEFORE_ALL_IDS, limit],
  read: (row) => ({ id: row.id as string, namespace: row.namespace as string }),
};
