import type { QuotedSchema } from "./session.js";
import { STATE } from "./state-codes.js";

/*
 * The journal of a task = the stored rows, then what its row itself tells.
 *
 * A claim, a completion, a cancel and a death write no journal: their facts stand in the task's row until something overwrites them.
 * What overwrites them is a way back to `scheduled` (and, before that, an edit or a refresh, which the row does not show at all). Such a
 * statement first writes what the row tells now, its *tail*, then its own entry. `journal_count` is the number of stored rows; 0 means
 * that even the creation is still told by the row. A read is the stored rows followed by the tail, in one snapshot: always complete, and
 * ordered by `seq`, not by clocks. A deferral overwrites the claim before it and writes nothing: the pair leaves no trace.
 */

const { scheduled, running, cancelled } = STATE;

/** Whether the row (an alias) tells of a claim: a way back to `scheduled` clears the owner. */
function claimed(row: string): string {
  return `${row}.owner IS NOT NULL`;
}
function cancelRequested(row: string): string {
  return `(${row}.owner IS NOT NULL AND ${row}.cancel_requested_at IS NOT NULL)`;
}
function ended(row: string): string {
  return `${row}.state > ${running}`;
}

/** How many entries the row tells. */
export function tailLength(row: string): string {
  return `((${row}.journal_count = 0)::int + (${claimed(row)})::int + ${cancelRequested(row)}::int + (${ended(row)})::int)`;
}

/** The reap gives an attempt back also where the task ends `dead`; its last execution was one more. */
function attemptOfExecution(row: string): string {
  return `${row}.attempt + (${row}.reason IS NOT DISTINCT FROM 'CRASHES')::int`;
}

/**
 * `(task_id, seq, at, from_state, to_state, owner, fence, attempt, reason, actor)` of what each row of `source` tells.
 *
 * @param source a relation with the columns of `task` that are named below
 */
export function journalTail(source: string): string {
  const attempt = attemptOfExecution("r");
  return `
    SELECT r.id AS task_id, r.journal_count + (row_number() OVER (PARTITION BY r.id ORDER BY e.step))::int AS seq,
           e.at, e.from_state, e.to_state, e.owner, e.fence, e.attempt, e.reason, e.actor
      FROM ${source} r CROSS JOIN LATERAL (VALUES
        (1, r.journal_count = 0, r.created_at, NULL::smallint, ${scheduled}::smallint, NULL::bigint, 0, 0, NULL::text, r.created_by),
        (2, ${claimed("r")}, r.claimed_at, ${scheduled}, ${running}, r.owner, r.fence, ${attempt}, NULL, NULL),
        (3, ${cancelRequested("r")}, r.cancel_requested_at, ${running}, ${running}, r.owner, r.fence, ${attempt},
            CASE WHEN r.reason = 'REPLACED' THEN 'REPLACED' ELSE 'CANCEL_REQUESTED' END, r.cancelled_by),
        (4, ${ended("r")}, r.finished_at, CASE WHEN ${claimed("r")} THEN ${running} ELSE ${scheduled} END, r.state, r.owner, r.fence,
            ${attempt}, r.reason, CASE WHEN r.state = ${cancelled} THEN r.cancelled_by END)
      ) AS e (step, applies, at, from_state, to_state, owner, fence, attempt, reason, actor)
     WHERE e.applies`;
}

/**
 * Writes the tails of `source` and then its rows' own entries. `source` holds the rows as they were, `own` selects
 * `(task_id, seq, at, from_state, to_state, owner, fence, attempt, reason, actor)` with seq = `journal_count + tailLength + 1`.
 *
 * Partitioned by `recorded_at`, not by `at`: the entry of a creation may be far older than the oldest partition.
 */
export function writeJournal(
  schema: QuotedSchema,
  { source, own, recordedAt }: { source: string; own: string; recordedAt: string },
): string {
  return `
    INSERT INTO ${schema}.journal
           (task_id, recorded_at, at, seq, from_state, to_state, fence, attempt, node, reason, actor)
    SELECT j.task_id, ${recordedAt}, j.at, j.seq, j.from_state, j.to_state, j.fence, j.attempt, n.label, j.reason, j.actor
      FROM (${journalTail(source)} UNION ALL ${own}) j LEFT JOIN ${schema}.node n ON n.boot_id = j.owner`;
}
