import type { BootId, LimitId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

interface LockLimits {
  owner: BootId;
  limitIds: readonly LimitId[];
}

/**
 * Begins a claim within limits: from here to its commit no other claim within them is made. The holders of their places
 * are looked at by the next statement, whose snapshot is younger than this lock [lock-order].
 *
 * The node's row is locked first, as in every claim: one that is not live locks no limit. A limit that another claim
 * holds is not waited for.
 */
export const lockLimits: Statement<LockLimits, { isLive: boolean; locked: number }> = {
  name: "lock_limits",
  sql: (schema) => `
    WITH me AS MATERIALIZED (
      SELECT boot_id FROM ${schema}.node WHERE boot_id = $1::bigint AND state = 'live' FOR KEY SHARE
    ),
    locked AS MATERIALIZED (
      SELECT l.id FROM me CROSS JOIN ${schema}.flow_limit l
       WHERE l.id = ANY ($2::integer[]) AND l.max_running IS NOT NULL
       ORDER BY l.id FOR UPDATE OF l SKIP LOCKED
    )
    SELECT EXISTS (SELECT FROM me) AS is_live, (SELECT count(*) FROM locked)::float8 AS locked`,
  values: ({ owner, limitIds }) => [owner, limitIds],
  read: (row) => ({ isLive: row.is_live === true, locked: Number(row.locked) }),
};
