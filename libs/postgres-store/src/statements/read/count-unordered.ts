import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

export interface CountUnordered {
  namespace: string;
  type: string;
  /** Whether tasks of the type that wait are counted. */
  isWaiting: boolean;
  /** Whether those of all types are that have ended and are about to be moved. */
  isLeaving: boolean;
  limit: number;
}

/**
 * How many tasks no index has in the order of their ids, each kind counted to `limit` at most. Plan: a range of the
 * index of due tasks, three of that of ended ones.
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
