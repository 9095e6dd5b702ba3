import { JOURNAL_ERROR_LENGTH, JOURNAL_NOTES, JOURNAL_ROWS } from "@tickwheel/core";
import { instant, nodeLabels, wholeMs } from "./sql-fragments.js";
import type { QuotedSchema } from "../connection/session.js";
import { STATE } from "./state-codes.js";
import type { TaskColumn } from "./task-columns.js";

/*
 * The journal of a task is its stored rows, then the entries that the task's row itself tells.
 *
 * A claim, a completion, a cancel and a death write no journal: their facts stay in the task's row until something
 * overwrites them. A change of a row that goes on waiting (an edit, a refresh, a pause) is noted in its column `notes`,
 * folded (see `JournalEntry`). A way back to `scheduled` overwrites all of that. Such a statement first writes the
 * entries that the row tells now, its *tail*, and then its own entry. `journal_count` is the number of stored rows; 0
 * means that the row still tells even the creation. A read is the stored rows followed by the tail, in one snapshot:
 * always complete, and ordered by `seq`, not by clocks. A deferral overwrites the claim before it, and is noted as a
 * change of a task that has gone on waiting.
 *
 * An event of a task behind its end without a way back to `scheduled` is noted in the row as well, and told behind the
 * end. So is an operation's retry that was undone: the row tells its end again, so what the retry had stored is
 * deleted. A discard leaves an end that comes from `dead`, and stores what the row told of its death.
 *
 * The journal is bounded: a row has at most `JOURNAL_NOTES` notes. If a tail and the own entry would make more than
 * `JOURNAL_ROWS` stored rows, nothing is stored: the own entry becomes the row's only note, and stands for all of them.
 */

const { paused, scheduled, running, succeeded, dead, cancelled } = STATE;

/** An entry, each field an SQL expression. */
export interface EntrySql {
  at: string;
  from: string;
  to: string;
  owner: string;
  fence: string;
  attempt: string;
  reason: string;
  actor: string;
  /** What an end of an execution tells of its run. Default: nothing. */
  run?: RunSql;
}

/** When a handler was called, where the lateness of that start went, and how the attempt failed. */
interface RunSql {
  startedAt: string;
  latenessParts: string;
  error: string;
}
const NO_RUN: RunSql = { startedAt: "NULL::timestamptz", latenessParts: "NULL::text", error: "NULL::text" };

/** What a change tells of the task that waits. */
type WaitingSql = Pick<EntrySql, "from" | "to" | "fence" | "attempt">;

/** The own entry of a statement that brings a running row back to `scheduled`, made of the columns of `row`. */
export function wayBackEntry(row: string, reason: string, run?: RunSql): EntrySql {
  return {
    ...(run && { run }),
    at: `${row}.now`,
    from: String(running),
    to: String(scheduled),
    owner: `${row}.owner`,
    fence: `${row}.fence`,
    attempt: `${row}.attempt`,
    reason,
    actor: "NULL",
  };
}

/** The columns of a task that its tail is made of, but for its id. */
export const TAIL_COLUMNS = [
  "state",
  "created_at",
  "claimed_at",
  "finished_at",
  "cancel_requested_at",
  "owner",
  "fence",
  "attempt",
  "reason",
  "created_by",
  "cancelled_by",
  "paused_at",
  "journal_count",
  "notes",
  "started_at",
  "lateness_parts",
  "last_error",
] as const satisfies readonly TaskColumn[];

/** Whether the row (an alias) tells of a claim. It does while it has an owner: a way back to `scheduled` clears it. */
function claimed(row: string): string {
  return `${row}.owner IS NOT NULL`;
}
function cancelRequested(row: string): string {
  return `(${row}.owner IS NOT NULL AND ${row}.cancel_requested_at IS NOT NULL)`;
}
function ended(row: string): string {
  return `${row}.state > ${running}`;
}
function toldByColumns(row: string): string {
  return `(${row}.journal_count = 0)::int + (${claimed(row)})::int + ${cancelRequested(row)}::int + (${ended(row)})::int`;
}

/** How many entries the row tells. */
function tailLength(row: string): string {
  return `(${toldByColumns(row)} + coalesce(jsonb_array_length(${row}.notes), 0))`;
}

/** How many transitions these entries stand for. */
function tailCount(row: string): string {
  return `(${toldByColumns(row)} + (SELECT coalesce(sum(n.count), 0) FROM jsonb_to_recordset(${row}.notes) AS n (count integer)))`;
}

/** Whether the stored rows have room for the row's tail and one more entry. */
function isStored(row: string): string {
  return `${row}.journal_count + ${tailLength(row)} < ${JOURNAL_ROWS}`;
}

/**
 * The number of the last execution's attempt. A reap takes one off even if the task ends `dead`, so one is added again.
 */
function attemptOfExecution(row: string): string {
  return `${row}.attempt + (${row}.reason IS NOT DISTINCT FROM 'CRASHES')::int`;
}

/**
 * The fence of the last execution. The undo of a retry leaves a row at its end again, with a greater fence: its notes
 * behind the end tell what the first retry has raised it to.
 */
function fenceOfExecution(row: string): string {
  return `CASE WHEN ${ended(row)} AND ${row}.notes IS NOT NULL THEN (
              SELECT coalesce(min(n.fence) - 1, ${row}.fence) FROM jsonb_to_recordset(${row}.notes) AS n (${NOTE_FIELDS})
               WHERE n."from" >= ${succeeded} AND n."to" = ${scheduled} AND n.count = 1) ELSE ${row}.fence END`;
}

/**
 * The entries that each row of `source` tells, as `(task_id, seq, at, from_state, to_state, owner, fence, attempt,
 * reason, actor, count, started_at, lateness_parts, error)`.
 *
 * @param source a relation with the columns `id` and `TAIL_COLUMNS`
 * @param condition which rows of `r` are meant
 */
export function journalTail(source: string, condition = "true"): string {
  const attempt = attemptOfExecution("r");
  const fence = fenceOfExecution("r");
  return `
    SELECT r.id AS task_id, r.journal_count + (row_number() OVER (PARTITION BY r.id ORDER BY e.step, e.place))::int AS seq,
           e.at, e.from_state, e.to_state, e.owner, e.fence, e.attempt, e.reason, e.actor, e.count,
           CASE WHEN e.ends_run THEN r.started_at END AS started_at, CASE WHEN e.ends_run THEN r.lateness_parts END AS lateness_parts,
           CASE WHEN e.ends_run AND r.state = ${dead} THEN ${errorOf("r.last_error")} END AS error
      FROM ${source} r CROSS JOIN LATERAL (
        SELECT * FROM (VALUES
          (1, 0, r.journal_count = 0, r.created_at, NULL::smallint, ${scheduled}::smallint, NULL::bigint, 0, 0, NULL::text, r.created_by, 1, false),
          (3, 0, ${claimed("r")}, r.claimed_at, ${scheduled}, ${running}, r.owner, ${fence}, ${attempt}, NULL, NULL, 1, false),
          (4, 0, ${cancelRequested("r")}, r.cancel_requested_at, ${running}, ${running}, r.owner, ${fence}, ${attempt},
              CASE WHEN r.reason = 'REPLACED' THEN 'REPLACED' ELSE 'CANCEL_REQUESTED' END, r.cancelled_by, 1, false),
          (5, 0, ${ended("r")}, r.finished_at, CASE WHEN ${claimed("r")} THEN ${running} WHEN r.reason = 'DISCARDED' THEN ${dead} WHEN r.paused_at IS NOT NULL THEN ${paused} ELSE ${scheduled} END, r.state, r.owner, ${fence},
              ${attempt}, r.reason, CASE WHEN r.state = ${cancelled} THEN r.cancelled_by END, 1, ${endsRun("r")})
        ) AS v (step, place, applies, at, from_state, to_state, owner, fence, attempt, reason, actor, count, ends_run) WHERE v.applies
        UNION ALL
        SELECT CASE WHEN ${IS_BEHIND_END} THEN 6 ELSE 2 END, n.place, true, ${instant("n.at")}, n."from", n."to", n.owner, n.fence, n.attempt, n.reason, n.actor, n.count, false
          FROM ROWS FROM (jsonb_to_recordset(r.notes) AS (${NOTE_FIELDS})) WITH ORDINALITY
            AS n (at, "from", "to", owner, fence, attempt, reason, actor, count, place)
      ) AS e
     WHERE ${condition}`;
}

/**
 * Whether a note is told behind the end of its row. A note that stands for a whole tail is not: the tail of a death, or
 * that of an ended task and its way back.
 */
const IS_BEHIND_END = `n."from" <> ${running} AND (n."to" >= ${succeeded} OR n."from" >= ${succeeded} AND n.count = 1)`;

/** A start is cut to milliseconds, and so is a claim: it may seem to be a little before its claim. */
const CUT = "interval '5 milliseconds'";

/**
 * Whether the end of a row that has ended is that of an execution that had called its handler. A reap keeps the claim's
 * time as the start, and knows no start.
 */
function endsRun(row: string): string {
  return `(${claimed(row)} AND ${row}.started_at >= ${row}.claimed_at - ${CUT} AND ${row}.reason IS DISTINCT FROM 'CRASHES')`;
}

/** An attempt's error, as long as the journal keeps it. */
export function errorOf(error: string): string {
  return `left(${error}, ${JOURNAL_ERROR_LENGTH})`;
}

const NOTE_FIELDS = `at float8, "from" smallint, "to" smallint, owner bigint, fence integer, attempt integer, reason text, actor text, count integer`;

/**
 * Writes the tails of `source` and then its rows' own entries, where the stored rows have room. Without an own entry:
 * the tails alone.
 *
 * Partitioned by `recorded_at`, not by `at`: the entry of a creation may be far older than the oldest partition.
 *
 * @param source the rows as they were
 * @param own the own entry, made of the columns of `r`
 */
export function writeJournal(
  schema: QuotedSchema,
  { source, own, recordedAt }: { source: string; own: EntrySql | null; recordedAt: string },
): string {
  return `
    INSERT INTO ${schema}.journal
           (task_id, recorded_at, at, seq, from_state, to_state, fence, attempt, node, reason, actor, count, started_at, lateness_parts, error)
    SELECT j.task_id, ${recordedAt}, j.at, j.seq, j.from_state, j.to_state, j.fence, j.attempt, n.label, j.reason, j.actor, j.count,
           j.started_at, j.lateness_parts, j.error
      FROM (${journalTail(source, isStored("r"))}${own === null ? "" : behindTail(source, own)}) j LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = j.owner`;
}

function behindTail(source: string, own: EntrySql): string {
  const { at, from, to, owner, fence, attempt, reason, actor, run = NO_RUN } = own;
  return `
            UNION ALL
            SELECT r.id, r.journal_count + ${tailLength("r")} + 1, ${at}, ${from}, ${to}, ${owner}, ${fence}, ${attempt}, ${reason}, ${actor}, 1,
                   ${run.startedAt}, ${run.latenessParts}, ${run.error}
              FROM ${source} r WHERE ${isStored("r")}`;
}

/** The columns that go with `writeJournal`, and their new values, made of the row as it was. */
export function journalled(row: string, own: EntrySql): { journal_count: string; notes: string } {
  return {
    journal_count: `${row}.journal_count + CASE WHEN ${isStored(row)} THEN ${tailLength(row)} + 1 ELSE 0 END`,
    notes: `CASE WHEN NOT ${isStored(row)} THEN jsonb_build_array(${note(own, `${tailCount(row)} + 1`)}) END`,
  };
}

/** The same where only the tail of a dead row is stored. Where it has no room, a death stands for it. */
export function tailJournalled(row: string): { journal_count: string; notes: string } {
  const death = wayBackEntry(row, `${row}.reason`);
  const told = { ...death, at: `${row}.finished_at`, to: String(dead), attempt: attemptOfExecution(row) };
  return {
    journal_count: `${row}.journal_count + CASE WHEN ${isStored(row)} THEN ${tailLength(row)} ELSE 0 END`,
    notes: `CASE WHEN NOT ${isStored(row)} THEN jsonb_build_array(${note(told, tailCount(row))}) END`,
  };
}

/**
 * The notes of a row that ends again as it had ended, behind two changes that are told behind its end.
 *
 * @param notes as they were
 * @param changes what left the end, and what led back to it
 */
export function withReturn(notes: string, [left, back]: readonly [left: EntrySql, back: EntrySql]): string {
  return `
      CASE WHEN jsonb_array_length(${notes}) > ${JOURNAL_NOTES} - 2
           THEN (${notes} - (-1)) || ${note(back, `(${notes} -> -1 ->> 'count')::integer + 2`)}
           ELSE coalesce(${notes}, '[]') || ${note(left, "1")} || ${note(back, "1")} END`;
}

/**
 * The row's notes after a change of a task that goes on waiting.
 *
 * @param row as it was
 * @param change its entry, and how many changes it stands for; what is absent is as the row was
 * @param isSame whether this change may be folded with the change of a note (an expression)
 */
export function withChange(
  row: string,
  change: Pick<EntrySql, "at" | "reason" | "actor"> & Partial<WaitingSql> & { count: string },
  isSame: (note: string) => string,
): string {
  const notes = `${row}.notes`;
  const state = `${row}.state`;
  const entry = { from: state, to: state, fence: `${row}.fence`, attempt: `${row}.attempt`, ...change, owner: "NULL" };
  return `
      CASE WHEN jsonb_array_length(${notes}) >= ${JOURNAL_NOTES} OR (${isSame(`(${notes} -> -1)`)} AND ${isSame(`(${notes} -> -2)`)})
           THEN (${notes} - (-1)) || ${note(entry, `(${notes} -> -1 ->> 'count')::integer + ${change.count}`)}
           ELSE coalesce(${notes}, '[]') || ${note(entry, change.count)} END`;
}

function note({ at, from, to, owner, fence, attempt, reason, actor }: EntrySql, count: string): string {
  return `jsonb_build_object('at', ${wholeMs(at)}, 'from', ${from}, 'to', ${to}, 'owner', ${owner}, 'fence', ${fence}, 'attempt', ${attempt},
             'reason', ${reason}, 'actor', ${actor}, 'count', ${count})`;
}
