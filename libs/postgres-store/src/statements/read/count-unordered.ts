import type { EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { instant } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

export interface CountUnordered {
  namespace: string;
  /** Null: all types of the namespace. */
  type: string | null;
  /** More types than these count as too many tasks. */
  mostTypes: number;
  /** Whether the scheduled tasks of the types are counted. */
  isWaiting: boolean;
  /** Whether the ended tasks of all types that are about to be moved to history are counted. */
  isLeaving: boolean;
  limit: number;
  /** Only scheduled tasks that are due in this range, its end exclusive; absent: any. */
  dueFrom?: EpochMs | undefined;
  dueTo?: EpochMs | undefined;
}

/** Bounds that an index takes, whether they are given or not. */
const IN_RANGE = `due_at >= coalesce(${instant("$7")}, '-infinity') AND due_at < coalesce(${instant("$8")}, 'infinity')`;

/**
 * How many tasks there are that no index holds in the order of ids; each kind is counted up to `limit`. Plan: one range
 * of the due index for each type, three of the index of ended tasks. The due index is read from its end: while somebody
 * holds a snapshot, what has run since lies dead at its beginning.
 */
export const countUnordered: Statement<CountUnordered, number> = {
  name: "count_unordered",
  sql: (schema) => {
    const count = (condition: string): string =>
      `(SELECT count(*) FROM (SELECT FROM ${schema}.task WHERE ${condition} LIMIT $3::bigint) t)`;
    const ofKinds = `
      (SELECT count(*) FROM (SELECT FROM kinds k CROSS JOIN LATERAL (
         SELECT FROM ${schema}.task WHERE $4::boolean AND state = ${STATE.scheduled} AND type_id = k.id AND ${IN_RANGE}
         ORDER BY type_id DESC, due_at DESC LIMIT $3::bigint) r LIMIT $3::bigint) t)`;
    const counts = [
      ofKinds,
      ...[STATE.succeeded, STATE.cancelled, STATE.expired].map((state) =>
        count(`$5::boolean AND state >= ${STATE.succeeded} AND state = ${state}`),
      ),
    ];
    return `
      WITH kinds AS MATERIALIZED (
        SELECT id FROM ${schema}.type WHERE namespace = $1 AND ($2::text IS NULL OR type = $2) LIMIT $6::bigint + 1
      )
      SELECT CASE WHEN (SELECT count(*) FROM kinds) > $6::bigint THEN $3::bigint ELSE ${counts.join(" + ")} END::integer AS count`;
  },
  values: ({ namespace, type, mostTypes, isWaiting, isLeaving, limit, dueFrom, dueTo }) => [
    namespace,
    type,
    limit,
    isWaiting,
    isLeaving,
    mostTypes,
    dueFrom ?? null,
    dueTo ?? null,
  ],
  read: (row) => row.count as number,
};
