import { DRY_RUN_SAMPLE, type EpochMs, SCHEDULE_KEY, type TaskState } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import { filterColumns, type Parameter } from "../../sql/task-filter-sql.js";
import { readInstant, readJson, readText } from "../../sql/task-rows.js";
import { writtenAnew } from "../../sql/written-anew.js";
import { lookedSql, LOWEST } from "../read/look-source.js";
import { fitsOperation } from "./acting.js";
import { ACTED_COLUMNS } from "./action-condition.js";
import type { FoundLook } from "./look-for-found.js";

/** What one look of a dry run has counted. */
export interface FoundCounts {
  now: EpochMs;
  count: number;
  states: Partial<Record<TaskState, number>>;
  types: { type: string; count: number }[];
  dueFrom: EpochMs | null;
  dueTo: EpochMs | null;
  running: number;
  occurrences: number;
  members: number;
  keysTaken: number;
  overdue: number;
  dueSoon: number;
  /** The newest. */
  sample: string[];
  lookedAt: number;
  last: string | null;
}

/** Due within so long is due soon. */
const SOON = "interval '1 minute'";
const COUNTED = ["due_at", "scheduled_at", "batch_id", "slot"] as const;

/** One look of a dry run: as `lookForFound`, and it counts what it finds in place of telling which. */
export function countFound(look: FoundLook): Statement<null, FoundCounts> {
  return writtenAnew({
    name: "count_found",
    fixed: [look.plan.namespace, look.limit, look.rows],
    textOf: (schema, parameter) => textOf(schema, look, parameter),
    read: (row) => ({
      now: readInstant(row.now)!,
      count: Number(row.count),
      states: Object.fromEntries(
        (readJson(row.states) as { state: number; count: number }[]).map(({ state, count }) => [stateOf(state), count]),
      ),
      types: readJson(row.types) as FoundCounts["types"],
      dueFrom: row.due_from === null ? null : readInstant(row.due_from),
      dueTo: row.due_to === null ? null : readInstant(row.due_to),
      running: Number(row.running),
      occurrences: Number(row.occurrences),
      members: Number(row.members),
      keysTaken: Number(row.keys_taken),
      overdue: Number(row.overdue),
      dueSoon: Number(row.due_soon),
      sample: readJson(row.sample) as string[],
      lookedAt: Number(row.looked_at),
      last: readText(row.lowest),
    }),
  });
}

function textOf(schema: QuotedSchema, { plan, by, below, asOf }: FoundLook, parameter: Parameter): string {
  const columns = [...new Set([...filterColumns(plan.filter).split(", "), ...ACTED_COLUMNS, ...COUNTED])].join(", ");
  const isScheduledAgain = plan.action === "retry" || plan.action === "restore";
  const leavesOverdue = plan.action === "restore" && !plan.options.includeOverdue;
  return `
    WITH RECURSIVE clock AS MATERIALIZED (SELECT ${now(parameter(asOf, "float8"))} AS now),
    ${lookedSql(schema, { filter: plan.filter, by, below, columns }, parameter)},
    fitting AS MATERIALIZED (
      SELECT t.* FROM looked t WHERE ${fitsOperation(schema, plan, { parameter, asOf })} ORDER BY t.id DESC LIMIT $2
    )
    SELECT ${wholeMs("clock.now")} AS now, f.*, (SELECT count(*) FROM looked)::float8 AS looked_at, ${LOWEST},
           (SELECT coalesce(json_agg(json_build_object('state', s.state, 'count', s.count)), '[]')::text
              FROM (SELECT state, count(*) FROM fitting GROUP BY state) s) AS states,
           (SELECT coalesce(json_agg(json_build_object('type', y.type, 'count', s.count)), '[]')::text
              FROM (SELECT type_id, count(*) FROM fitting GROUP BY type_id) s JOIN ${schema}.type y ON y.id = s.type_id) AS types,
           (SELECT coalesce(json_agg(s.id ORDER BY s.id DESC), '[]')::text
              FROM (SELECT id FROM fitting ORDER BY id DESC LIMIT ${DRY_RUN_SAMPLE}) s) AS sample,
           ${isScheduledAgain ? `(SELECT count(*) FROM fitting t WHERE ${isKeyTaken(schema)})::float8` : "0::float8"} AS keys_taken
      FROM clock CROSS JOIN LATERAL (
        SELECT count(*)::float8 AS count,
               ${wholeMs(`min(t.due_at) FILTER (WHERE t.state = ${STATE.scheduled})`)} AS due_from, ${wholeMs(`max(t.due_at) FILTER (WHERE t.state = ${STATE.scheduled})`)} AS due_to,
               (count(*) FILTER (WHERE t.state = ${STATE.running}))::float8 AS running,
               (count(*) FILTER (WHERE starts_with(t.key, '${SCHEDULE_KEY}')))::float8 AS occurrences,
               count(t.batch_id)::float8 AS members,
               (count(*) FILTER (WHERE ${leavesOverdue} AND t.scheduled_at <= clock.now))::float8 AS overdue,
               (count(*) FILTER (WHERE t.state = ${STATE.scheduled} AND t.due_at < clock.now + ${SOON}))::float8 AS due_soon
          FROM fitting t
      ) f`;
}

/** Whether another live task has the key of a row `t` that has ended. */
function isKeyTaken(schema: QuotedSchema): string {
  return `t.key IS NOT NULL AND NOT t.key_live
     AND EXISTS (SELECT FROM ${schema}.task k WHERE k.slot = t.slot AND k.type_id = t.type_id AND k.key = t.key AND k.key_live)`;
}
