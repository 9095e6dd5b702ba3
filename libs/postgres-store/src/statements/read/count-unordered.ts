import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

export interface CountUnordered {
  namespace: string;
  type: string;
  /** Whether the scheduled tasks of the type are counted. */
  isWaiting: boolean;
  /** Whether the ended tasks of all types that are about to be moved to history are counted. */
  isLeaving: boolean;
  limit: number;
}

/**
 * How many tasks there are that no index holds in the order of ids; each kind is counted up to `limit`. Plan: one range
 * of the due index, three of the index of ended tasks.
 */
export const countUnordered: Statement<CountUnordered, number> = {
  name: "count_unordered",
  sql: (schema) => {
    const count = (condition: string): string =>
      `(SELECT count(*) FROM (SELECT FROM ${schema}.task WHERE ${condition} LIMIT $3::bigint) t)`;
    const ofType = `type_id = (SELECT id FROM ${schema}.type WHERE namespace = $1 AND type = $2)`;
    const counts = [
      count(`$4::boolean AND state = ${STATE.scheduled} AND ${ofType}`),
      ...[STATE.succeeded, STATE.cancelled, STATE.expired].map((state) =>
        count(`$5::boolean AND state >= ${STATE.succeeded} AND state = ${state}`),
      ),
    ];
    return `SELECT (${counts.join(" + ")})::integer AS count`;
  },
  values: ({ namespace, type, isWaiting, isLeaving, limit }) => [namespace, type, limit, isWaiting, isLeaving],
  read: (row) => row.count as number,
};
