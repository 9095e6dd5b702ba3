import type { EpochMs } from "@tickwheel/core";
import type { StoredSchedule } from "@tickwheel/schedules";
import { writePlanning } from "../../sql/schedule-rows.js";
import { json, listed, parameters, plain, rows } from "../../sql/parameters.js";
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

interface WriteSchedules {
  written: readonly WrittenSchedule[];
  now: EpochMs;
}

const [p, values] = parameters<WriteSchedules>()({
  now: (request) => request.now,
  written: rows(({ written }: WriteSchedules) => written, {
    id: plain("uuid", ({ schedule }) => schedule.id),
    last_seq: plain("bigint", ({ lastSeq }) => lastSeq),
    planned_ms: plain("float8", ({ schedule: { planning } }) => planning.plannedUntil),
    settled_ms: plain("float8", ({ schedule: { planning } }) => planning.settledUntil),
    look_ms: plain("float8", ({ schedule: { planning } }) => planning.lookAt),
    planning: listed("text", ({ schedule }) => writePlanning(schedule.planning)),
    gone: listed("boolean", ({ isDeleted }) => isDeleted),
    fresh: listed("boolean", ({ hasNewContent }) => hasNewContent),
    type_id: plain("integer", ({ schedule }) => schedule.typeId),
    revision: plain("integer", ({ schedule }) => schedule.revision),
    payload: json("text", ({ schedule, hasNewContent }) => (hasNewContent ? writePayload(schedule.payload) : null)),
    definition: listed("text", ({ schedule, hasNewContent }) =>
      hasNewContent ? JSON.stringify(schedule.definition) : null,
    ),
    task_options: listed("text", ({ schedule, hasNewContent }) =>
      hasNewContent ? JSON.stringify(schedule.taskOptions) : null,
    ),
    application: listed("text", ({ schedule: { source } }) => source?.application ?? null),
    hash: listed("text", ({ schedule: { source } }) => source?.hash ?? null),
    changed_ms: plain("float8", ({ schedule }) => schedule.changedAt),
    changed_by: listed("text", ({ schedule }) => schedule.changedBy),
    zone_rules: listed("text", ({ schedule: { planning } }) => planning.zoneRules),
  }),
});

/** In two lines, since they are many. */
const NAMES = p.written.names.replace(" task_options", "\n  task_options");

/** Writes the rows of schedules after a decision. Plan: one probe of the primary key per row. */
export const writeSchedules: Statement<WriteSchedules, never> = {
  name: "write_schedules",
  sql: (schema) => `
    UPDATE ${schema}.schedule s
       SET last_seq = r.last_seq, planned_until = ${instant("r.planned_ms")}, settled_until = ${instant("r.settled_ms")},
           look_at = ${instant("r.look_ms")}, planning = r.planning::json, deleted_at = CASE WHEN r.gone THEN ${instant(p.now)} END,
           type_id = r.type_id, revision = r.revision,
           payload = CASE WHEN r.fresh THEN r.payload::json ELSE s.payload END,
           definition = CASE WHEN r.fresh THEN r.definition::json ELSE s.definition END,
           task_options = CASE WHEN r.fresh THEN r.task_options::json ELSE s.task_options END,
           zone_rules = r.zone_rules, application = r.application, hash = r.hash, changed_at = ${instant("r.changed_ms")}, changed_by = r.changed_by
      FROM ${arrayRows({ ...p.written, names: NAMES })}
     WHERE s.id = r.id`,
  values,
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
