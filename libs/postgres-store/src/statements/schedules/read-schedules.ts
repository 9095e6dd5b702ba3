import type { StoredSchedule } from "@tickwheel/schedules";
import { readSchedule, scheduleFields } from "../../sql/schedule-rows.js";
import type { Statement } from "../../connection/session.js";

/** By name or by id; exactly one is not null. */
export interface ReadSchedule {
  namespace: string;
  name: string | null;
  id: string | null;
}

/** One schedule that is not deleted. Plan: one probe of the index of names, or of the primary key. */
export const readScheduleByRef: Statement<ReadSchedule, StoredSchedule> = {
  name: "read_schedule",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.namespace = $1 AND s.name = $2::text AND s.deleted_at IS NULL
    UNION ALL
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.id = $3::uuid AND s.namespace = $1 AND s.deleted_at IS NULL`,
  values: ({ namespace, name, id }) => [namespace, name, id],
  read: (row) => readSchedule(row).schedule,
};

/** What an application's code defines, in all namespaces. Plan: a range of the index of these, in its order. */
export const listCodeSchedules: Statement<
  { limit: number; after: { namespace: string; name: string } | null },
  StoredSchedule
> = {
  name: "list_code_schedules",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.deleted_at IS NULL AND s.application IS NOT NULL AND (s.namespace, s.name) > ($2::text, $3::text)
     ORDER BY s.namespace, s.name LIMIT $1`,
  values: ({ limit, after }) => [limit, after?.namespace ?? "", after?.name ?? ""],
  read: (row) => readSchedule(row).schedule,
};
