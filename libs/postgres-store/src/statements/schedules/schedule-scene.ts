import type { OccurrenceTask, RunKind } from "@tickwheel/schedules";
import { numbers, wholeMs } from "../../sql/sql-fragments.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import { readNumbers, readText } from "../../sql/task-rows.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";

/** An occurrence as a decision sees it. */
export interface SceneRow {
  scheduleId: string;
  seq: number;
  /** False: it is the one that ended last, of those that are concluded. */
  isOpen: boolean;
  /** The task's; 0 where the task is not read. */
  fence: number;
  occurrence: OccurrenceTask;
}

/**
 * The open occurrences of schedules with their tasks, and of each schedule the concluded one that ended last. The
 * caller has locked the schedules by an earlier statement, so no run is added or concluded meanwhile; a task may change
 * after this read.
 *
 * When its last attempt ended is asked only of a task that waits for the next one: it is the task's last way back,
 * which stands in the row's notes or in the journal.
 *
 * Plan: per schedule a range of the index of open runs and one entry of the index of last ones; per open run one probe
 * of the primary key of tasks. Only an occurrence that is not found there is looked for in history (the LIMIT ends the
 * append), by one probe per kept partition.
 */
export const scheduleScene: Statement<{ ids: readonly string[] }, SceneRow> = {
  name: "schedule_scene",
  sql: (schema) => `
    SELECT r.schedule_id::text AS schedule_id, r.task_id::text AS task_id, r.kind, r.has_missed_more,
           r.ended_at IS NULL AS is_open, CASE WHEN r.ended_at IS NULL THEN t.reason ELSE r.reason END AS reason,
           ${numbers(NUMBERS)} AS numbers
      FROM (SELECT * FROM unnest($1::uuid[]) AS i (id) LIMIT cardinality($1::uuid[])) AS i
     CROSS JOIN LATERAL (
       (SELECT * FROM ${schema}.schedule_run o WHERE o.schedule_id = i.id AND o.ended_at IS NULL)
       UNION ALL
       (SELECT * FROM ${schema}.schedule_run l
         WHERE l.schedule_id = i.id AND l.ended_at IS NOT NULL AND l.kind IN ('spec', 'trigger')
         ORDER BY l.ended_at DESC, l.seq DESC LIMIT 1)
     ) r
      LEFT JOIN LATERAL (${taskOfRun(schema)}) t ON true
      LEFT JOIN LATERAL (${lastWayBack(schema)}) b ON true
     ORDER BY r.at, r.seq`,
  values: ({ ids }) => [ids],
  read: (row) => {
    const read = readNumbers(row.numbers) as SceneNumbers;
    const [seq, at, missed, startedAt, state, dueAt, attemptEndedAt, attempt, maxAttempts, finishedAt, asked, fence] =
      read;
    return {
      scheduleId: row.schedule_id as string,
      seq,
      isOpen: row.is_open as boolean,
      fence: fence ?? 0,
      occurrence: {
        taskId: row.task_id as string,
        kind: row.kind as RunKind,
        at,
        missed,
        startedAt,
        dueAt,
        attemptEndedAt,
        attempt,
        maxAttempts,
        finishedAt,
        hasMissedMore: row.has_missed_more as boolean,
        state: state === null ? "gone" : stateOf(state),
        reason: readText(row.reason) as OccurrenceTask["reason"],
        isCancelRequested: asked === 1,
      },
    };
  },
};

type SceneNumbers = [
  ...[seq: number, at: number, missed: number, startedAt: number | null, state: number | null, dueAt: number],
  ...[attemptEndedAt: number | null, attempt: number, maxAttempts: number, finishedAt: number | null],
  ...[asked: number, fence: number | null],
];

const TASK_OF_RUN = [
  "state",
  "reason",
  "due_at",
  "started_at",
  "claimed_at",
  "finished_at",
  "cancel_requested_at",
  "attempt",
  "max_attempts",
  "fence",
  "notes",
  "journal_count",
];

/** The task of an open run `r`, live or finished. */
export function taskOfRun(schema: QuotedSchema): string {
  const columns = TASK_OF_RUN.join(", ");
  return `
        SELECT * FROM (
          SELECT ${columns} FROM ${schema}.task WHERE id = r.task_id
          UNION ALL SELECT ${columns} FROM ${schema}.history WHERE id = r.task_id
        ) u WHERE r.ended_at IS NULL AND r.task_id IS NOT NULL LIMIT 1`;
}

/** When the last attempt of `t` ended, if it waits for another. */
function lastWayBack(schema: QuotedSchema): string {
  return `
        SELECT coalesce(
          (SELECT max((n ->> 'at')::bigint) FROM jsonb_array_elements(t.notes) n WHERE (n ->> 'from')::smallint = ${STATE.running}),
          (SELECT ${wholeMs("j.at")} FROM ${schema}.journal j
            WHERE j.task_id = r.task_id AND j.seq <= t.journal_count AND j.from_state = ${STATE.running} AND j.to_state = ${STATE.scheduled}
            ORDER BY j.seq DESC LIMIT 1)
        ) AS ended_ms WHERE t.state = ${STATE.scheduled} AND t.started_at IS NOT NULL`;
}

/** When the first attempt of `r` started; where no node has noted it, as its task `t` tells it. */
export const STARTED_AT = `coalesce(r.started_at, t.started_at, CASE WHEN t.state = ${STATE.running} THEN t.claimed_at END)`;
/** The state of `r`: of an open one its task's, of a concluded one as it was written. */
export const RUN_STATE = `CASE WHEN r.ended_at IS NULL THEN t.state ELSE r.state END`;
/** When the task of `r` ended; null where that is not known. */
export const RUN_FINISHED_AT = `CASE WHEN r.ended_at IS NULL THEN t.finished_at WHEN r.state IS NOT NULL THEN r.ended_at END`;

/** In the order of {@link SceneNumbers}. */
const NUMBERS = [
  "r.seq",
  wholeMs("r.at"),
  "r.missed",
  wholeMs(STARTED_AT),
  RUN_STATE,
  wholeMs("coalesce(t.due_at, r.due_at)"),
  "b.ended_ms",
  "coalesce(t.attempt, r.attempt, 0)",
  "coalesce(t.max_attempts, r.max_attempts, 0)",
  wholeMs(RUN_FINISHED_AT),
  "(t.cancel_requested_at IS NOT NULL)::int",
  "t.fence",
];
