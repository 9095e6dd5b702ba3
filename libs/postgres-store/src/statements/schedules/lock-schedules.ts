import type { EpochMs } from "@tickwheel/core";
import type { ScheduleRow } from "../../sql/schedule-rows.js";
import { readSchedule, scheduleFields } from "../../sql/schedule-rows.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** For a schedule `s` in SQL with a relation `clock`: its look has come, in the form of the index of looks. */
export const LOOK_HAS_COME = "s.look_at IS NOT NULL AND s.look_at <= (SELECT now FROM clock)";

/**
 * Locks the schedules whose look has come, the oldest first, passing over those that others have locked. A row comes in
 * its newest version. What a decision rests on besides is read by later statements of the transaction.
 *
 * Plan: a range of the index of looks, in its order, up to the limit. With nothing to look at it reads the index's
 * first page.
 */
export const lockDueSchedules: Statement<{ limit: number; asOf: EpochMs | null }, ScheduleRow> = {
  name: "lock_due_schedules",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE ${LOOK_HAS_COME}
     ORDER BY s.look_at LIMIT $2 FOR UPDATE OF s SKIP LOCKED`,
  values: ({ limit, asOf }) => [asOf, limit],
  read: readSchedule,
};

/**
 * Locks schedules that were planned under an older tzdata than this one, passing over those that others have locked.
 *
 * Plan: a range of the index of rules, up to the limit. Where all were planned under this one, or a newer, it reads the
 * index's first page.
 */
export const lockSchedulesOfOldRules: Statement<{ limit: number; before: string }, ScheduleRow> = {
  name: "lock_schedules_of_old_rules",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.zone_rules < $1::text COLLATE "C" AND s.zone_rules IS NOT NULL AND s.deleted_at IS NULL
     ORDER BY s.zone_rules LIMIT $2 FOR UPDATE OF s SKIP LOCKED`,
  values: ({ limit, before }) => [before, limit],
  read: readSchedule,
};

/**
 * Locks schedules by their ids, in the order of these, and waits for those that others have locked. One that was
 * deleted is left out.
 *
 * Plan: one probe of the primary key per id.
 */
export const lockSchedules: Statement<{ ids: readonly string[] }, ScheduleRow> = {
  name: "lock_schedules",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.id = ANY ($1::uuid[]) AND s.deleted_at IS NULL
     ORDER BY s.id FOR UPDATE OF s`,
  values: ({ ids }) => [ids],
  read: readSchedule,
};

/** The same for one schedule by its name. Plan: one probe of the index of names. */
export const lockNamedSchedule: Statement<{ namespace: string; name: string }, ScheduleRow> = {
  name: "lock_named_schedule",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.namespace = $1 AND s.name = $2 AND s.deleted_at IS NULL FOR UPDATE OF s`,
  values: ({ namespace, name }) => [namespace, name],
  read: readSchedule,
};
