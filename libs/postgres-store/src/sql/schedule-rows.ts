import type {
  CodeContent,
  OccurrenceOptions,
  ScheduleRules,
  StoredPlanning,
  StoredSchedule,
} from "@tickwheel/schedules";
import type { QuotedSchema, RawRow } from "../connection/session.js";
import { numbers, wholeMs } from "./sql-fragments.js";
import { readNumbers, readPayload, readText } from "./task-rows.js";

/** The fields that {@link readSchedule} reads, of a schedule `s`. */
export const scheduleFields = (schema: QuotedSchema): string =>
  [
    `(SELECT y.type FROM ${schema}.type y WHERE y.id = s.type_id) AS type`,
    "s.id::text AS id",
    "s.namespace",
    "s.name",
    "s.payload::text AS payload",
    "s.definition::text AS definition",
    "s.task_options::text AS task_options",
    "s.application",
    "s.hash",
    "s.created_by",
    "s.changed_by",
    "s.zone_rules",
    "s.planning::text AS planning",
    `${numbers([
      "s.type_id",
      "s.revision",
      "s.last_seq",
      ...["s.created_at", "s.changed_at", "s.planned_until", "s.settled_until", "s.look_at"].map(wholeMs),
    ])} AS schedule_numbers`,
  ].join(", ");

/** A schedule as its row has it, and the number of its newest run. */
export interface ScheduleRow {
  schedule: StoredSchedule;
  lastSeq: number;
}

type ScheduleNumbers = [
  ...[typeId: number, revision: number, lastSeq: number, createdAt: number, changedAt: number],
  ...[plannedUntil: number, settledUntil: number, lookAt: number | null],
];

/** What the column `planning` holds: what has no column of its own. */
type KeptPlanning = Omit<StoredPlanning, "plannedUntil" | "settledUntil" | "lookAt" | "zoneRules">;

/** A row of {@link scheduleFields}. */
export function readSchedule(row: RawRow): ScheduleRow {
  const [typeId, revision, lastSeq, createdAt, changedAt, plannedUntil, settledUntil, lookAt] = readNumbers(
    row.schedule_numbers,
  ) as ScheduleNumbers;
  const planning = JSON.parse(row.planning as string) as KeptPlanning;
  const application = readText(row.application);
  const schedule: StoredSchedule = {
    id: row.id as string,
    namespace: row.namespace as string,
    name: row.name as string,
    typeId,
    type: row.type as string,
    payload: readPayload(row.payload),
    definition: JSON.parse(row.definition as string) as ScheduleRules,
    taskOptions: JSON.parse(row.task_options as string) as OccurrenceOptions,
    source: application === null ? null : { application, hash: row.hash as string },
    revision,
    createdAt,
    changedAt,
    createdBy: row.created_by as string,
    changedBy: row.changed_by as string,
    planning: { ...planning, plannedUntil, settledUntil, lookAt, zoneRules: readText(row.zone_rules) },
  };
  return { schedule, lastSeq };
}

export function writePlanning(planning: StoredPlanning): string {
  const { plannedUntil: _planned, settledUntil: _settled, lookAt: _look, zoneRules: _rules, ...kept } = planning;
  return JSON.stringify(kept satisfies KeptPlanning);
}

/** An announced content as one JSON text; its payload is a text in it. */
export function writeContent({ type, payload, rules, options }: CodeContent): string {
  return JSON.stringify({ type, payload, rules, options } satisfies CodeContent);
}
