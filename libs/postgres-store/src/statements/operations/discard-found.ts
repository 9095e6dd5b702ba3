import type { Statement } from "../../connection/session.js";
import { tallyMoves } from "../../sql/batch-sql.js";
import { tallyRisen } from "../../sql/dead-sql.js";
import { tailJournalled, writeJournal } from "../../sql/journal-sql.js";
import { withChanges } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { noValue, TASK_COLUMNS } from "../../sql/task-columns.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";

/**
 * Discards the dead ones of a page: they end `cancelled` in history, from now on. What their rows told of their deaths
 * is stored in the journal, since the end is another; the last error stays. A member counts as cancelled.
 */
export function discardFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("discard_found", request, discarded);
}

function discarded({ schema, now, actor, keptBytes, locked, remember }: Acting): ActSql {
  const columns = TASK_COLUMNS.join(", ");
  const changes = {
    state: String(STATE.cancelled),
    reason: "'DISCARDED'",
    finished_at: "dead.now",
    cancelled_by: actor,
    version: "dead.version + 1",
    owner: noValue("owner"),
    paused_at: noValue("paused_at"),
    ...tailJournalled("dead"),
  };
  return {
    ctes: [
      `found AS MATERIALIZED (${locked("task")})`,
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM found) got)`,
      `dead AS MATERIALIZED (SELECT f.*, clock.now FROM found f CROSS JOIN clock)`,
      `discarded AS MATERIALIZED (${withChanges("dead", changes, ["dead.state AS was", `${keptBytes("dead")} AS result_bytes`])})`,
      `gone AS (DELETE FROM ${schema}.task t USING dead d WHERE t.id = d.id)`,
      `kept AS (INSERT INTO ${schema}.history (${columns}) SELECT ${columns} FROM discarded)`,
      `tallied AS (${tallyMoves(schema, "dead", { from: "m.state", to: String(STATE.cancelled) })})`,
      `risen AS (${tallyRisen(schema, "dead")})`,
      `journalled AS (${writeJournal(schema, { source: "dead", own: null, recordedAt: "(SELECT now FROM clock)" })})`,
      `remembered AS (${remember("dead", { at: "w.now", state: String(STATE.cancelled), isWhole: true })})`,
    ],
    changed: ["discarded"],
    hasResults: true,
  };
}
