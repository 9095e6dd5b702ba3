import type { Statement } from "../../connection/session.js";
import { withChange } from "../../sql/journal-sql.js";
import { atNow, pausedAgain } from "../../sql/paused-sql.js";
import { instant, movedAlong, span } from "../../sql/sql-fragments.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";

/**
 * Gives those of a page another due time, or makes them due now: as `editTask` does one. What would lie in the past is
 * due now, and what is paused stays paused, with a countdown to its new time.
 */
export function moveFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("move_found", request, moved);
}

function moved(acting: Acting): ActSql {
  const { schema, now, actor, locked, remember } = acting;
  const change = { at: "m.now", reason: "'RESCHEDULED'", actor, count: "1" };
  return {
    ctes: [
      `found AS MATERIALIZED (${locked("task")})`,
      // The clock is read once the rows are locked.
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM found) got)`,
      `moving AS MATERIALIZED (
        SELECT f.*, f.state AS was, c.now, greatest(c.now, ${askedFor(acting)}) AS asked_at FROM found f CROSS JOIN clock c)`,
      `changed AS (
        UPDATE ${schema}.task t
           SET due_at = m.asked_at, scheduled_at = m.asked_at,
               start_deadline_at = ${movedAlong("t.start_deadline_at", { from: "t.scheduled_at", to: "m.asked_at" })},
               wait_until = ${atNow("t", "wait_until", "m.now")}, ${pausedAgain("t", "m.now")},
               version = t.version + 1, notes = ${withChange("m", change, () => "false")}
          FROM moving m WHERE t.id = m.id
        RETURNING t.*, m.was)`,
      `remembered AS (${remember("moving", { at: "w.now", state: "w.state" })})`,
    ],
    changed: ["changed"],
  };
}

/** Bits of the hash that spreads tasks. */
const SPREAD = 2 ** 20;

/** The time that is asked for of a row `f` at `c.now`. */
function askedFor({ plan: { options }, parameter }: Acting): string {
  const { move } = options;
  // To be run now.
  if (move === null) return "c.now";
  const ms = (value: number): string => parameter(value, "float8");
  switch (move.kind) {
    case "set":
      return instant(ms(move.at));
    case "shift":
      return `${atNow("f", "due_at", "c.now")} + ${span(ms(move.byMs))}`;
    case "spread": {
      const share = `(hashtextextended(f.id::text, 0) & ${SPREAD - 1}) / ${SPREAD}::float8`;
      return `${instant(ms(move.from))} + ${span(`floor(${ms(move.to - move.from)} * ${share})`)}`;
    }
  }
}
