import type { EpochMs } from "@tickwheel/core";
import type { StoredSchedule } from "@tickwheel/schedules";
import { jsonArray, plainArray } from "../../sql/plain-array.js";
import { writePlanning } from "../../sql/schedule-rows.js";
import { arrayRows, instant, now, span } from "../../sql/sql-fragments.js";
import { writePayload } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";

/** What is written of a schedule that this transaction has locked. */
export interface WrittenSchedule {
  schedule: StoredSchedule;
  lastSeq: number;
  hasNewContent: boolean;
  isDeleted: boolean;
}

const ARRAYS = [
  ...["$2::uuid[]", "$3::bigint[]", "$4::float8[]", "$5::float8[]", "$6::float8[]", "$7::text[]", "$8::boolean[]"],
  ...["$9::boolean[]", "$10::integer[]", "$11::integer[]", "$12::text[]", "$13::text[]", "$14::text[]"],
  ...["$15::text[]", "$16::text[]", "$17::float8[]", "$18::text[]", "$19::text[]"],
];
const COLUMNS = `id, last_seq, planned_ms, settled_ms, look_ms, planning, gone, fresh, type_id, revision, payload, definition,
  task_options, application, hash, changed_ms, changed_by, zone_rules`;

/** Writes the rows of schedules after a decision. Plan: one probe of the primary key per row. */
export const writeSchedules: Statement<{ written: readonly WrittenSchedule[]; now: EpochMs }, never> = {
  name: "write_schedules",
  sql: (schema) => `
    UPDATE ${schema}.schedule s
       SET last_seq = r.last_seq, planned_until = ${instant("r.planned_ms")}, settled_until = ${instant("r.settled_ms")},
           look_at = ${instant("r.look_ms")}, planning = r.planning::json, deleted_at = CASE WHEN r.gone THEN ${instant("$1")} END,
           type_id = r.type_id, revision = r.revision,
           payload = CASE WHEN r.fresh THEN r.payload::json ELSE s.payload END,
           definition = CASE WHEN r.fresh THEN r.definition::json ELSE s.definition END,
           task_options = CASE WHEN r.fresh THEN r.task_options::json ELSE s.task_options END,
           zone_rules = r.zone_rules, application = r.application, hash = r.hash, changed_at = ${instant("r.changed_ms")}, changed_by = r.changed_by
      FROM ${arrayRows(ARRAYS, COLUMNS)}
     WHERE s.id = r.id`,
  values: ({ written, now: at }) => [
    at,
    plainArray(written, ({ schedule }) => schedule.id),
    plainArray(written, ({ lastSeq }) => lastSeq),
    plainArray(written, ({ schedule: { planning } }) => planning.plannedUntil),
    plainArray(written, ({ schedule: { planning } }) => planning.settledUntil),
    plainArray(written, ({ schedule: { planning } }) => planning.lookAt),
    written.map(({ schedule }) => writePlanning(schedule.planning)),
    written.map(({ isDeleted }) => isDeleted),
    written.map(({ hasNewContent }) => hasNewContent),
    plainArray(written, ({ schedule }) => schedule.typeId),
    plainArray(written, ({ schedule }) => schedule.revision),
    jsonArray(written, ({ schedule, hasNewContent }) => (hasNewContent ? writePayload(schedule.payload) : null)),
    written.map(({ schedule, hasNewContent }) => (hasNewContent ? JSON.stringify(schedule.definition) : null)),
    written.map(({ schedule, hasNewContent }) => (hasNewContent ? JSON.stringify(schedule.taskOptions) : null)),
    written.map(({ schedule: { source } }) => source?.application ?? null),
    written.map(({ schedule: { source } }) => source?.hash ?? null),
    plainArray(written, ({ schedule }) => schedule.changedAt),
    written.map(({ schedule }) => schedule.changedBy),
    written.map(({ schedule: { planning } }) => planning.zoneRules),
  ],
  read: (row) => row as never,
};

/** Moves the looks of schedules that cannot be planned now. Plan: one probe of the primary key per id. */
export const postponeSchedules: Statement<{ ids: readonly string[]; delayMs: number; asOf: EpochMs | null }, never> = {
  name: "postpone_schedules",
  sql: (schema) => `
    UPDATE ${schema}.schedule s SET look_at = (SELECT ${now("$1")}) + ${span("$3")} WHERE s.id = ANY ($2::uuid[])`,
  values: ({ ids, delayMs, asOf }) => [asOf, ids, delayMs],
  read: (row) => row as never,
};
