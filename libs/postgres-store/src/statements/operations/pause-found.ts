import type { Statement } from "../../connection/session.js";
import { withChange } from "../../sql/journal-sql.js";
import { STATE } from "../../sql/state-codes.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";

/** Pauses those of a page: as `pauseTask` does one. */
export function pauseFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("pause_found", request, paused);
}

function paused({ schema, now, actor, locked, remember }: Acting): ActSql {
  const change = { at: "m.now", reason: "'PAUSED'", actor, count: "1", to: String(STATE.paused) };
  return {
    ctes: [
      `found AS MATERIALIZED (${locked("task")})`,
      // The clock is read once the rows are locked.
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM found) got)`,
      `moving AS MATERIALIZED (SELECT f.*, f.state AS was, clock.now FROM found f CROSS JOIN clock)`,
      `changed AS (
        UPDATE ${schema}.task t
           SET state = ${STATE.paused}, paused_at = m.now, version = t.version + 1, notes = ${withChange("m", change, () => "false")}
          FROM moving m WHERE t.id = m.id
        RETURNING t.*, m.was)`,
      `remembered AS (${remember("moving", { at: "w.now", state: String(STATE.paused) })})`,
    ],
    changed: ["changed"],
  };
}
