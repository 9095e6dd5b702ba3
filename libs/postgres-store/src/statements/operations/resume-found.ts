import type { Statement } from "../../connection/session.js";
import { withChange } from "../../sql/journal-sql.js";
import { resumedAt } from "../../sql/paused-sql.js";
import { STATE } from "../../sql/state-codes.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";

/** Schedules those of a page again that are paused: as `resumeTask` does one. */
export function resumeFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("resume_found", request, resumed);
}

function resumed({ schema, now, actor, locked, remember }: Acting): ActSql {
  const change = { at: "m.now", reason: "'RESUMED'", actor, count: "1", to: String(STATE.scheduled) };
  return {
    ctes: [
      `found AS MATERIALIZED (${locked("task")})`,
      // The clock is read once the rows are locked.
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM found) got)`,
      `moving AS MATERIALIZED (SELECT f.*, f.state AS was, clock.now FROM found f CROSS JOIN clock)`,
      `changed AS (
        UPDATE ${schema}.task t
           SET state = ${STATE.scheduled}, ${resumedAt("t", "m.now")},
               version = t.version + 1, notes = ${withChange("m", change, () => "false")}
          FROM moving m WHERE t.id = m.id
        RETURNING t.*, m.was)`,
      `remembered AS (${remember("moving", { at: "w.now", state: String(STATE.scheduled) })})`,
    ],
    changed: ["changed"],
  };
}
