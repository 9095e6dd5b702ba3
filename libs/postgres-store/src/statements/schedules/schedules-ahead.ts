import type { EpochMs } from "@tickwheel/core";
import { MAX_SCHEDULES_AHEAD, type ScheduleAhead, type ScheduleRules } from "@tickwheel/schedules";
import type { Statement } from "../../connection/session.js";
import { instant, wholeMs } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";

interface SchedulesAhead {
  /** Null: all namespaces. */
  namespace: string | null;
  /** The name of their type. Default: any. */
  type?: string;
  /** The time ahead ends here. */
  until: EpochMs;
}

/** A look comes two seconds behind the due time of the task that it waits for. */
const LOOKED_BEHIND = "10 seconds";

/**
 * Schedules in force that may make tasks in a time ahead, those that are looked at soonest first: one more than are
 * told, where there are more. The look of a schedule is at its next task, or before it. Plan: a range of the index of
 * looks, in its order; schedules of other namespaces are passed over.
 */
export const schedulesAhead: Statement<SchedulesAhead, ScheduleAhead> = {
  name: "schedules_ahead",
  sql: (schema) => `
    SELECT s.id::text AS id, s.definition::text AS definition, ${wholeMs("s.created_at")} AS created_at,
           ${wholeMs("s.planned_until")} AS planned_until
      FROM ${schema}.schedule s
     WHERE s.look_at <= ${instant("$3")} + interval '${LOOKED_BEHIND}' AND s.look_at IS NOT NULL AND s.deleted_at IS NULL
       AND s.standing = 'IN_FORCE' AND ($1::text IS NULL OR s.namespace = $1)
       AND ($2::text IS NULL OR s.type_id IN (SELECT y.id FROM ${schema}.type y
             WHERE y.type = $2 AND ($1::text IS NULL OR y.namespace = $1)))
     ORDER BY s.look_at LIMIT ${MAX_SCHEDULES_AHEAD + 1}`,
  values: ({ namespace, type = null, until }) => [namespace, type, until],
  read: (row) => ({
    definition: {
      id: row.id as string,
      createdAt: readInstant(row.created_at),
      ...(JSON.parse(row.definition as string) as ScheduleRules),
    },
    planning: { plannedUntil: readInstant(row.planned_until), pause: null, isFinished: false },
  }),
};
