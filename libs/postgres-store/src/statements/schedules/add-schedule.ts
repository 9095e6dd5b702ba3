import type { EpochMs } from "@tickwheel/core";
import type { StoredSchedule } from "@tickwheel/schedules";
import { writePlanning } from "../../sql/schedule-rows.js";
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

/** Writes a new schedule's row; its transaction is the only one that adds to the namespace. */
export const addSchedule: Statement<StoredSchedule, never> = {
  name: "add_schedule",
  sql: (schema) => `
    INSERT INTO ${schema}.schedule (id, namespace, name, type_id, revision, payload, definition, task_options, application, hash,
                                    created_at, changed_at, created_by, changed_by, planned_until, settled_until, look_at, planning)
    VALUES ($1, $2, $3, $4, $5, $6::json, $7::json, $8::json, $9, $10,
            ${instant("$11")}, ${instant("$12")}, $13, $14, ${instant("$15")}, ${instant("$16")}, ${instant("$17")}, $18::json)`,
  values: (schedule) => {
    const { planning, source } = schedule;
    return [
      ...[schedule.id, schedule.namespace, schedule.name, schedule.typeId, schedule.revision],
      writePayload(schedule.payload),
      ...[JSON.stringify(schedule.definition), JSON.stringify(schedule.taskOptions)],
      ...[source?.application ?? null, source?.hash ?? null],
      ...[schedule.createdAt, schedule.changedAt, schedule.createdBy, schedule.changedBy],
      ...[planning.plannedUntil, planning.settledUntil, planning.lookAt satisfies EpochMs | null],
      writePlanning(planning),
    ];
  },
  read: (row) => row as never,
};
