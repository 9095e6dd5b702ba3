import type { EpochMs, QuarantineState } from "@tickwheel/core";
import { epochMs, now, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/** Suspects are counted up to this number. */
const MOST_COUNTED = 1_000;

/** Who is in quarantine, and how many suspects are scheduled. Plan: a probe of the primary key per suspect. */
export const readQuarantine: Statement<{ asOf: EpochMs | null }, QuarantineState> = {
  name: "read_quarantine",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    waiting AS MATERIALIZED (
      SELECT FROM ${schema}.suspect s JOIN ${schema}.task t ON t.id = s.task_id
       WHERE ${stateById("t")} = ${STATE.scheduled} AND t.crash_count > 0 LIMIT ${MOST_COUNTED}
    )
    SELECT (SELECT count(*) FROM waiting)::float8 AS waiting, t.id::text AS id, y.type, n.label AS node,
           greatest(0, ${epochMs("clock.now - q.since")})::float8 AS for_ms
      FROM clock CROSS JOIN ${schema}.quarantine q
      LEFT JOIN ${schema}.task t
             ON t.id = q.task_id AND ${stateById("t")} = ${STATE.running} AND t.owner = q.owner AND t.fence = q.fence
      LEFT JOIN ${schema}.type y ON y.id = t.type_id
      LEFT JOIN ${schema}.node n ON n.boot_id = t.owner`,
  values: ({ asOf }) => [asOf],
  read: ({ waiting, id, type, node, for_ms }) => ({
    waiting: Number(waiting),
    occupant:
      id === null
        ? null
        : {
            id: id as string,
            type: type as string,
            node: (node as string | null) ?? null,
            forMs: Math.round(Number(for_ms)),
          },
  }),
};
