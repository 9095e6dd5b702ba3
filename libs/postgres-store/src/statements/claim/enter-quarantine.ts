import type { EpochMs, ExecutionRef, QuarantineReply } from "@tickwheel/core";
import { epochMs, now, stateById } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * Enters the quarantine. An earlier statement of this transaction has locked the quarantine's row, so this statement's
 * snapshot shows the claim of the execution that entered last. The quarantine is free when the execution that its row
 * names runs no more; nobody has to leave explicitly. A stale execution does not enter.
 *
 * Plan: two probes of the primary key.
 */
export const enterQuarantine: Statement<ExecutionRef & { asOf: EpochMs | null }, QuarantineReply> = {
  name: "enter_quarantine",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    mine AS MATERIALIZED (
      SELECT t.id, t.owner, t.fence FROM ${schema}.task t
       WHERE t.id = $2::uuid AND ${stateById("t")} = ${STATE.running} AND t.owner = $3::bigint AND t.fence = $4::integer
    ),
    occupant AS MATERIALIZED (
      SELECT q.since FROM ${schema}.quarantine q JOIN ${schema}.task t ON t.id = q.task_id
       WHERE ${stateById("t")} = ${STATE.running} AND t.owner = q.owner AND t.fence = q.fence AND t.id <> $2::uuid
    ),
    entered AS (
      UPDATE ${schema}.quarantine SET task_id = mine.id, owner = mine.owner, fence = mine.fence, since = clock.now
        FROM mine, clock WHERE NOT EXISTS (SELECT FROM occupant)
      RETURNING 1
    )
    SELECT EXISTS (SELECT FROM entered) AS entered,
           coalesce((SELECT greatest(0, ${epochMs("clock.now - o.since")}) FROM occupant o, clock), 0)::float8 AS occupied_ms`,
  values: ({ id, owner, fence, asOf }) => [asOf, id, owner, fence],
  read: (row) =>
    row.entered === true ? { entered: true } : { entered: false, occupiedForMs: Math.round(Number(row.occupied_ms)) },
};
