import type { EpochMs } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * Notes which types are in use, once a day for each; a dropped one is taken up again. A type is in use if the live
 * table has tasks of it or a live node has a handler for it. A type that was never looked at counts as used now.
 *
 * Plan: for each type that was not seen in use today a probe of the due index
 * and of that of paused tasks; the running and the ended tasks of the
 * live table once.
 */
export const keepTypes: Statement<{ asOf: EpochMs | null }, number> = {
  name: "keep_types",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    kept AS (
      UPDATE ${schema}.type y SET used_at = clock.now, dropped_at = NULL FROM clock
       WHERE y.used_at IS NULL
          OR ((y.dropped_at IS NOT NULL OR y.used_at < clock.now - interval '1 day') AND (
                EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.scheduled} AND t.type_id = y.id)
                OR EXISTS (SELECT FROM ${schema}.task t WHERE t.state = ${STATE.paused} AND t.type_id = y.id)
                OR y.id IN (SELECT t.type_id FROM ${schema}.task t WHERE t.state = ${STATE.running})
                OR y.id IN (SELECT t.type_id FROM ${schema}.task t WHERE t.state >= ${STATE.succeeded})
                OR (y.delivery = 'handler' AND y.id IN (SELECT unnest(n.type_ids) FROM ${schema}.node n WHERE n.state = 'live'))))
      RETURNING 1
    )
    SELECT count(*)::float8 AS count FROM kept`,
  values: ({ asOf }) => [asOf],
  read: (row) => Number(row.count),
};
