import type { LimitId, PausedKey } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { arrayRows, numbered, stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import {
  CLAIMABLE,
  claimed,
  type ClaimRow,
  type ClaimTasks,
  held,
  keyValues,
  me,
  p,
  paused,
  readClaim,
  STOPPED,
  values,
} from "./claim-parts.js";

export interface ClaimLimited extends ClaimTasks {
  pausedKeys: readonly PausedKey[];
  limitIds: readonly LimitId[];
  /** At most so many are claimed. */
  most: number;
}

export interface LimitedClaimRow extends ClaimRow {
  /** How many places were free. */
  places: number;
  /** The limits that have none any more. */
  full: LimitId[];
}

/** Behind those of a claim beside paused keys. */
const LIMIT_IDS = "$8::integer[]";
const MOST = "$9::integer";

/**
 * The claim within limits, whose rows the transaction holds: see `lockLimits`. So this statement's snapshot shows all
 * claims before it, and no other one is made beside it.
 *
 * `occupied` are the tasks that hold places and run. `found` are those that a pause of their key stops: they take no
 * place. `picked` is limited above the lock, so an id that is gone or locked leaves its place to the next; the order is
 * that of the ids. `kept` names the tasks that hold the places from now on.
 *
 * Plan: a probe of the primary key for each id and for each place, and one more for each id where a key is paused.
 */
export const claimLimited: Statement<ClaimLimited, LimitedClaimRow> = {
  name: "claim_limited",
  sql: (schema) => `
    WITH ${me(schema)},
    occupied AS MATERIALIZED (
      SELECT l.id AS limit_id, l.max_running, h.id
        FROM ${schema}.flow_limit l LEFT JOIN LATERAL (
          SELECT t.id FROM unnest(l.places) AS u (id) JOIN ${schema}.task t ON t.id = u.id WHERE ${stateById("t")} = ${STATE.running}
        ) h ON true
       WHERE l.id = ANY (${LIMIT_IDS})
    ),
    free AS MATERIALIZED (
      SELECT o.limit_id, max(o.max_running) - count(o.id) AS places FROM occupied o GROUP BY o.limit_id
    ),
    room AS MATERIALIZED (SELECT greatest(0, min(f.places)) AS places FROM free f),
    ${paused(schema)},
    found AS MATERIALIZED (
      SELECT t.id, clock.now, s.paused_by
        FROM clock CROSS JOIN paused s CROSS JOIN ${arrayRows(p.ids)} JOIN ${schema}.task t ON t.id = r.id
       WHERE EXISTS (SELECT FROM paused) AND ${STOPPED} AND ${CLAIMABLE}
         FOR UPDATE OF t SKIP LOCKED
    ),
    ${held(schema)},
    picked AS MATERIALIZED (
      SELECT t.id, clock.now
        FROM clock CROSS JOIN (SELECT * FROM ${numbered(p.ids, "place")} LIMIT cardinality(${p.ids.arrays[0]})) AS r
        JOIN ${schema}.task t ON t.id = r.id
        LEFT JOIN paused s ON ${STOPPED}
       WHERE ${CLAIMABLE} AND s.paused_by IS NULL
       ORDER BY r.place LIMIT (SELECT least(places, ${MOST}) FROM room)
         FOR UPDATE OF t SKIP LOCKED
    ),
    ${claimed(schema, {
      written: `
    kept AS (
      UPDATE ${schema}.flow_limit l
         SET places = array(SELECT o.id FROM occupied o WHERE o.limit_id = l.id AND o.id IS NOT NULL) || array(SELECT c.id FROM claimed c)
       WHERE l.id = ANY (${LIMIT_IDS}) AND EXISTS (SELECT FROM claimed)
    ),`,
      column: ` (SELECT places FROM room)::float8 AS places,
           (SELECT array_agg(f.limit_id ORDER BY f.limit_id) FROM free f WHERE f.places <= (SELECT count(*) FROM claimed)) AS full_limits,`,
    })}`,
  values: (request) => [...values(request), ...keyValues(request), request.limitIds, request.most],
  read: (row) => ({ ...readClaim(row), places: Number(row.places), full: (row.full_limits as number[] | null) ?? [] }),
};
