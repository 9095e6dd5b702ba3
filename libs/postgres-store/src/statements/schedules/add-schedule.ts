import type { StoredSchedule } from "@tickwheel/schedules";
import { writePlanning } from "../../sql/schedule-rows.js";
import { parameters, typed } from "../../sql/parameters.js";
import { instant } from "../../sql/sql-fragments.js";
import { writePayload } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";

/** Waits until this transaction is the only one that adds schedules to the namespace; the lock goes with it. */
export const lockScheduleNames: Statement<string, true> = {
  name: "lock_schedule_names",
  sql: (schema) => `SELECT pg_advisory_xact_lock(hashtextextended('schedules ${schema} ' || $1, 0))`,
  values: (namespace) => [namespace],
  read: () => true,
};

/** Whether a name is taken, and how many schedules its namespace has, counted up to `limit`. */
export const countSchedules: Statement<
  { namespace: string; name: string; limit: number },
  { isTaken: boolean; count: number }
> = {
  name: "count_schedules",
  sql: (schema) => `
    SELECT EXISTS (SELECT FROM ${schema}.schedule WHERE namespace = $1 AND name = $2 AND deleted_at IS NULL) AS is_taken,
           (SELECT count(*)::integer FROM (
             SELECT FROM ${schema}.schedule WHERE namespace = $1 AND deleted_at IS NULL LIMIT $3
           ) s) AS count`,
  values: ({ namespace, name, limit }) => [namespace, name, limit],
  read: (row) => ({ isTaken: row.is_taken as boolean, count: Number(row.count) }),
};

const [p, values] = parameters<StoredSchedule>()({
  id: ({ id }) => id,
  namespace: ({ namespace }) => namespace,
  name: ({ name }) => name,
  typeId: ({ typeId }) => typeId,
  revision: ({ revision }) => revision,
  payload: typed("json", ({ payload }) => writePayload(payload)),
  definition: typed("json", ({ definition }) => JSON.stringify(definition)),
  taskOptions: typed("json", ({ taskOptions }) => JSON.stringify(taskOptions)),
  application: ({ source }) => source?.application ?? null,
  hash: ({ source }) => source?.hash ?? null,
  createdAt: ({ createdAt }) => createdAt,
  changedAt: ({ changedAt }) => changedAt,
  createdBy: ({ createdBy }) => createdBy,
  changedBy: ({ changedBy }) => changedBy,
  plannedUntil: ({ planning }) => planning.plannedUntil,
  settledUntil: ({ planning }) => planning.settledUntil,
  lookAt: ({ planning }) => planning.lookAt,
  planning: typed("json", ({ planning }) => writePlanning(planning)),
});

/** Writes a new schedule's row; its transaction is the only one that adds to the namespace. */
export const addSchedule: Statement<StoredSchedule, never> = {
  name: "add_schedule",
  sql: (schema) => `
    INSERT INTO ${schema}.schedule (id, namespace, name, type_id, revision, payload, definition, task_options, application, hash,
                                    created_at, changed_at, created_by, changed_by, planned_until, settled_until, look_at, planning)
    VALUES (${p.id}, ${p.namespace}, ${p.name}, ${p.typeId}, ${p.revision}, ${p.payload}, ${p.definition}, ${p.taskOptions}, ${p.application}, ${p.hash},
            ${instant(p.createdAt)}, ${instant(p.changedAt)}, ${p.createdBy}, ${p.changedBy}, ${instant(p.plannedUntil)}, ${instant(p.settledUntil)}, ${instant(p.lookAt)}, ${p.planning})`,
  values,
  read: (row) => row as never,
};
