import type { Statement } from "../../connection/session.js";
import { withChange } from "../../sql/journal-sql.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";

/** Adds a tag to those of a page, or takes it from them. For a dead one, the journal tells it behind its death. */
export function tagFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("tag_found", request, tagged);
}

function tagged({ schema, plan, parameter, now, actor, locked, remember }: Acting): ActSql {
  const tag = parameter(plan.options.tag, "text");
  const tags =
    plan.action === "add_tag" ? `array_append(t.tags, ${tag})` : `nullif(array_remove(t.tags, ${tag}), '{}')`;
  const change = { at: "m.now", reason: "'TAGGED'", actor, count: "1" };
  return {
    ctes: [
      `found AS MATERIALIZED (${locked("task")})`,
      // The clock is read once the rows are locked.
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM found) got)`,
      `moving AS MATERIALIZED (SELECT f.*, f.state AS was, clock.now FROM found f CROSS JOIN clock)`,
      `changed AS (
        UPDATE ${schema}.task t
           SET tags = ${tags}, version = t.version + 1, notes = ${withChange("m", change, () => "false")}
          FROM moving m WHERE t.id = m.id
        RETURNING t.*, m.was)`,
      `remembered AS (${remember("moving", { at: "w.now", state: "w.state" })})`,
    ],
    changed: ["changed"],
  };
}
