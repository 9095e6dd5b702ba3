import type { QuotedSchema } from "../connection/session.js";
import { journalTail, TAIL_COLUMNS } from "../sql/journal-sql.js";
import { nodeLabels } from "../sql/sql-fragments.js";
import { STATE } from "../sql/state-codes.js";
import type { TaskColumn } from "../sql/task-columns.js";
import { SAFE_PATH } from "./safe-path.js";

/** The views, as a grant names them. */
export const REPORT_VIEWS = ["tasks_v1", "attempts_v1"];

/** The columns of `tasks_v1` that are those of a task's row, in its order. */
const SHOWN = [
  ...([
    "scheduled_at",
    "due_at",
    "start_deadline_at",
    "created_at",
    "claimed_at",
    "started_at",
    "finished_at",
  ] as const),
  ...([
    "cancel_requested_at",
    "attempt",
    "max_attempts",
    "priority",
    "reason",
    "last_error",
    "tags",
    "batch_id",
  ] as const),
  ...(["created_by", "cancelled_by", "continues", "continued_by"] as const),
] as const satisfies readonly TaskColumn[];
/** Shown to roles with the right to see payloads; all others get null. */
const MASKED = ["payload", "result"] as const satisfies readonly TaskColumn[];
const NAMED = ["id", "type_id", "state", "key", "owner"] as const satisfies readonly TaskColumn[];

const READ = [...NAMED, ...SHOWN, ...MASKED].join(", ");
const TOLD = [...new Set<TaskColumn>(["id", "type_id", ...TAIL_COLUMNS])].join(", ");

/**
 * Stable views for reports: every task, and every attempt that has ended. A login sees the namespaces of its roles, who
 * owns the schema sees all. Columns are added behind the others, never taken away: a change that cannot be made so gets
 * a new view beside the old one.
 *
 * The planner pushes conditions on `id`, `task_id` and instants into both tables: they are the leakproof ones that a
 * security barrier lets through.
 */
export function reportViews(schema: QuotedSchema): string {
  return `
CREATE FUNCTION ${schema}.report_namespaces() RETURNS TABLE (namespace text, payloads boolean)
LANGUAGE sql STABLE SECURITY DEFINER ${SAFE_PATH}
BEGIN ATOMIC
  SELECT y.namespace, true FROM ${schema}.type y WHERE ${schema}.is_sql_owner(session_user) GROUP BY y.namespace
   UNION ALL
  SELECT n.namespace, n.payloads FROM ${schema}.sql_namespaces(session_user) n WHERE NOT ${schema}.is_sql_owner(session_user);
END;

CREATE VIEW ${schema}.tasks_v1 WITH (security_barrier) AS
SELECT t.id, y.namespace, y.type, ${stateName("t.state")} AS state, t.key, n.label AS node,
       ${SHOWN.map((column) => `t.${column}`).join(", ")},
       ${MASKED.map((column) => `CASE WHEN m.payloads THEN t.${column} END AS ${column}`).join(", ")}
  FROM (SELECT ${READ} FROM ${schema}.task UNION ALL SELECT ${READ} FROM ${schema}.history) t
  JOIN ${schema}.type y ON y.id = t.type_id
  JOIN ${schema}.report_namespaces() m ON m.namespace = y.namespace
  LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = t.owner;

CREATE VIEW ${schema}.attempts_v1 WITH (security_barrier) AS
SELECT t.id AS task_id, y.namespace, y.type, a.attempt, a.fence, a.node, ${outcomeOf("a")} AS outcome,
       a.reason, a.started_at, a.at AS ended_at, a.error
  FROM (SELECT ${TOLD} FROM ${schema}.task UNION ALL SELECT ${TOLD} FROM ${schema}.history) t
  JOIN ${schema}.type y ON y.id = t.type_id
  JOIN ${schema}.report_namespaces() m ON m.namespace = y.namespace
 CROSS JOIN LATERAL (
   SELECT j.at, j.from_state, j.to_state, j.fence, j.attempt, j.node, j.reason, j.started_at, j.error
     FROM ${schema}.journal j WHERE j.task_id = t.id
    UNION ALL
   SELECT j.at, j.from_state, j.to_state, j.fence, j.attempt, n.label, j.reason, j.started_at, j.error
     FROM (${journalTail(`(SELECT t.*)`)}) j LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = j.owner
 ) a
 WHERE a.from_state = ${STATE.running} AND a.to_state <> ${STATE.running};
`;
}

function stateName(state: string): string {
  const names = Object.entries(STATE).map(([name, code]) => `WHEN ${code} THEN '${name}'`);
  return `CASE ${state} ${names.join(" ")} END`;
}

/** What became of an attempt: the end of its task, or `again` where the task waits once more. */
function outcomeOf(entry: string): string {
  return `CASE ${entry}.to_state WHEN ${STATE.scheduled} THEN 'again' ELSE ${stateName(`${entry}.to_state`)} END`;
}
