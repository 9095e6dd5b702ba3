import type { EpochMs } from "@tickwheel/core";
import type { RunKind, StartedOccurrence } from "@tickwheel/schedules";
import { readSchedule, scheduleFields } from "../../sql/schedule-rows.js";
import { instant, numbers, wholeMs } from "../../sql/sql-fragments.js";
import { readNumbers } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";

/**
 * Notes the first start of an occurrence and reads what its handler is told: each attempt the same instant. No row: the
 * task is no occurrence. An attempt whose node died before this has started it too: a decision reads that in the task.
 *
 * Plan: one probe of the index of runs by task, one of the primary key of tasks, one of that of schedules.
 */
export const beginOccurrence: Statement<{ taskId: string; startedAt: EpochMs }, StartedOccurrence> = {
  name: "begin_occurrence",
  sql: (schema) => `
    WITH begun AS (
      UPDATE ${schema}.schedule_run r SET started_at =
             coalesce(r.started_at, (SELECT t.started_at FROM ${schema}.task t WHERE t.id = r.task_id), ${instant("$2")})
       WHERE r.task_id = $1::uuid
      RETURNING r.*
    )
    SELECT ${scheduleFields(schema)}, r.kind, r.has_missed_more, ${numbers([wholeMs("coalesce(r.stood_for, r.at)"), "r.missed", wholeMs("r.started_at")])} AS run_numbers
      FROM begun r JOIN ${schema}.schedule s ON s.id = r.schedule_id`,
  values: ({ taskId, startedAt }) => [taskId, startedAt],
  read: (row) => {
    const [at, missed, startedAt] = readNumbers(row.run_numbers) as [number, number, number];
    return {
      schedule: readSchedule(row).schedule,
      kind: row.kind as RunKind,
      ...{ at, missed, startedAt },
      hasMissedMore: row.has_missed_more as boolean,
    };
  },
};
