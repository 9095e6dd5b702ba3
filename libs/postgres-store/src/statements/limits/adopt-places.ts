import { type LimitId, OWN_TYPE_PREFIX, type Places } from "@tickwheel/core";
import { listed, parameters, plain, rows } from "../../sql/parameters.js";
import { stateById, unnested } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/** Waits for the claims within these limits, and lets none be made until the commit [lock-order]. */
export const awaitLimits: Statement<{ limitIds: readonly LimitId[] }, never> = {
  name: "await_limits",
  sql: (schema) => `
    SELECT l.id FROM ${schema}.flow_limit l WHERE l.id = ANY ($1::integer[]) ORDER BY l.id FOR UPDATE`,
  values: ({ limitIds }) => [limitIds],
  read: (row) => row as never,
};

interface AdoptPlaces {
  places: readonly Places[];
}

interface Place {
  limitId: LimitId;
  id: string;
}

const [p, values] = parameters<AdoptPlaces>()({
  places: rows<AdoptPlaces, Place>(
    ({ places }) => places.flatMap(({ limitId, ids }) => ids.map((id) => ({ limitId, id }))),
    { limit_id: listed("integer", ({ limitId }) => limitId), id: plain("uuid", ({ id }) => id) },
  ),
});

/**
 * Tasks take places in limits that the transaction holds, beside those that hold some and run. The look is by a
 * snapshot that is younger than the lock.
 */
export const adoptPlaces: Statement<AdoptPlaces, never> = {
  name: "adopt_places",
  sql: (schema) => `
    WITH given AS MATERIALIZED (SELECT * FROM ${unnested(p.places)})
    UPDATE ${schema}.flow_limit l
       SET places = array(
             SELECT t.id FROM unnest(l.places) AS u (id) JOIN ${schema}.task t ON t.id = u.id WHERE ${stateById("t")} = ${STATE.running}
              UNION SELECT g.id FROM given g WHERE g.limit_id = l.id)
     WHERE l.id IN (SELECT limit_id FROM given)`,
  values,
  read: (row) => row as never,
};

/**
 * All tasks that run of the limits' subjects take their places. A task that holds one and runs is among them.
 *
 * Plan: the running tasks, once, by their index.
 */
export const adoptRunning: Statement<{ limitIds: readonly LimitId[] }, never> = {
  name: "adopt_running",
  sql: (schema) => `
    WITH running AS MATERIALIZED (
      SELECT t.id, t.type_id, y.namespace, starts_with(y.type, '${OWN_TYPE_PREFIX}') AS is_own
        FROM ${schema}.task t JOIN ${schema}.type y ON y.id = t.type_id
       WHERE t.state = ${STATE.running}
    )
    UPDATE ${schema}.flow_limit l
       SET places = array(
             SELECT r.id FROM running r
              WHERE r.type_id = l.type_id OR (l.type_id IS NULL AND r.namespace = l.namespace AND NOT r.is_own))
     WHERE l.id = ANY ($1::integer[])`,
  values: ({ limitIds }) => [limitIds],
  read: (row) => row as never,
};
