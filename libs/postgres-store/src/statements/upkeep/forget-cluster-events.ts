import { CLUSTER_EVENT_DAYS, type EpochMs, MAX_CLUSTER_EVENTS } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

export interface ForgetClusterEvents {
  /** At most this many. */
  limit: number;
  asOf: EpochMs | null;
}

/**
 * Deletes the oldest events: those that are older than a week, and those behind the newest `MAX_CLUSTER_EVENTS`.
 * Answers how many.
 *
 * Plan: from both ends of the index of (at, id).
 */
export const forgetClusterEvents: Statement<ForgetClusterEvents, number> = {
  name: "forget_cluster_events",
  sql: (schema) => `
    WITH gone AS (
      DELETE FROM ${schema}.cluster_event WHERE id = ANY (ARRAY (
        SELECT e.id FROM ${schema}.cluster_event e
         WHERE e.at < greatest((SELECT ${now("$2")} - interval '${CLUSTER_EVENT_DAYS} days'),
                               (SELECT at FROM ${schema}.cluster_event ORDER BY at DESC, id DESC OFFSET ${MAX_CLUSTER_EVENTS - 1} LIMIT 1))
         ORDER BY e.at, e.id LIMIT $1 FOR UPDATE SKIP LOCKED
      )) RETURNING 1
    )
    SELECT count(*)::float8 AS count FROM gone`,
  values: ({ limit, asOf }) => [limit, asOf],
  read: (row) => Number(row.count),
};
