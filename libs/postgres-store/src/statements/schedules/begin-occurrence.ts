import type { OccurrenceStart, RunKind, StartedOccurrence } from "@tickwheel/schedules";
import { readSchedule, scheduleFields } from "../../sql/schedule-rows.js";
import { parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows, instant, numbers, wholeMs } from "../../sql/sql-fragments.js";
import { readNumbers } from "../../sql/task-rows.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/** An occurrence that has started, by its task. */
export interface BegunOccurrence {
  taskId: string;
  started: StartedOccurrence;
}

const [p, values] = parameters<{ starts: readonly OccurrenceStart[] }>()({
  starts: rows(({ starts }: { starts: readonly OccurrenceStart[] }) => starts, {
    task_id: plain("uuid", ({ taskId }) => taskId),
    started_ms: plain("float8", ({ startedAt }) => startedAt),
  }),
});

/**
 * Notes the first starts of occurrences and reads what their handlers are told: each attempt the same instant. Left
 * out: tasks that are no occurrences, and runs that others have locked. It waits for nobody, so it is part of no
 * deadlock with a planner that writes several runs.
 *
 * An attempt whose node died before this has started its occurrence too: a decision reads that in the task.
 *
 * Plan: per task one probe of the index of runs by task, of the primary keys of runs, tasks and schedules.
 */
export const beginOccurrences: Statement<{ starts: readonly OccurrenceStart[] }, BegunOccurrence> = {
  name: "begin_occurrences",
  sql: (schema) => textOf(schema, "FOR UPDATE OF k SKIP LOCKED"),
  values,
  read: (row) => {
    const [at, missed, startedAt] = readNumbers(row.run_numbers) as [number, number, number];
    const started = {
      schedule: readSchedule(row).schedule,
      kind: row.kind as RunKind,
      at,
      missed,
      startedAt,
      hasMissedMore: row.has_missed_more as boolean,
    };
    return { taskId: row.task_id as string, started };
  },
};

/** The same for one occurrence; it waits for the transaction that has locked its run. */
export const beginOccurrence: Statement<{ starts: readonly [OccurrenceStart] }, BegunOccurrence> = {
  ...beginOccurrences,
  name: "begin_occurrence",
  sql: (schema) => textOf(schema, "FOR UPDATE OF k"),
};

function textOf(schema: QuotedSchema, lock: string): string {
  const told = numbers([wholeMs("coalesce(r.stood_for, r.at)"), "r.missed", wholeMs("r.started_at")]);
  return `
    WITH found AS MATERIALIZED (
      SELECT k.schedule_id, k.seq, r.started_ms
        FROM ${arrayRows(p.starts)} JOIN ${schema}.schedule_run k ON k.task_id = r.task_id
         ${lock}
    ),
    begun AS (
      UPDATE ${schema}.schedule_run r SET started_at =
             coalesce(r.started_at, (SELECT t.started_at FROM ${schema}.task t WHERE t.id = r.task_id), ${instant("f.started_ms")})
        FROM found f WHERE r.schedule_id = f.schedule_id AND r.seq = f.seq
      RETURNING r.*
    )
    SELECT ${scheduleFields(schema)}, r.task_id::text AS task_id, r.kind, r.has_missed_more, ${told} AS run_numbers
      FROM begun r JOIN ${schema}.schedule s ON s.id = r.schedule_id`;
}
