import type { Statement } from "../../connection/session.js";
import { tallyEnds } from "../../sql/batch-sql.js";
import { intoHistory, stateById, withChanges } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";

/**
 * Cancels those of a page that wait, which go to history at once as in `cancelScheduledTasks`, and asks those that run
 * to stop.
 */
export function cancelFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("cancel_found", request, cancelled);
}

function cancelled({ schema, now, actor, locked, remember }: Acting): ActSql {
  const changes = {
    state: String(STATE.cancelled),
    key_live: "false",
    reason: "'REQUESTED'",
    finished_at: "ended.now",
    cancelled_by: actor,
    version: "ended.version + 1",
  };
  return {
    ctes: [
      `picked AS MATERIALIZED (SELECT id FROM (${locked("task")}) l)`,
      // The clock is read once the rows are locked.
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM picked) got)`,
      `ended AS (
        DELETE FROM ${schema}.task t USING picked p CROSS JOIN clock
         WHERE t.id = p.id AND ${stateById("t")} IN (${STATE.paused}, ${STATE.scheduled})
        RETURNING t.*, clock.now)`,
      `kept AS (${intoHistory(schema, "ended", changes)})`,
      `asked AS (
        UPDATE ${schema}.task t SET cancel_requested_at = clock.now, cancelled_by = ${actor}, version = t.version + 1
          FROM picked p CROSS JOIN clock
         WHERE t.id = p.id AND ${stateById("t")} = ${STATE.running} AND t.cancel_requested_at IS NULL
        RETURNING t.id, t.owner, t.fence)`,
      `tallied AS (${tallyEnds(schema, "ended", String(STATE.cancelled))})`,
      `remembered AS (${remember("ended", { at: "w.now", state: String(STATE.cancelled) })})`,
      `changed AS (${withChanges("ended", changes, ["ended.state AS was"])})`,
    ],
    changed: ["changed"],
    asked: "asked",
  };
}
