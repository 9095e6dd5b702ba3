import type { EpochMs, OperationAction, OperationUndo, PageTask, UndoOutcome } from "@tickwheel/core";
import type { QuotedSchema, RawRow } from "../../connection/session.js";
import type { EntrySql } from "../../sql/journal-sql.js";
import { asOf, parameters, plain, rows, typed } from "../../sql/parameters.js";
import { arrayRows, HINT_FIELDS, now, stateById, wholeMs } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import type { TaskColumn } from "../../sql/task-columns.js";
import { readPageTask } from "../operations/acting.js";

/** Some tasks that an operation remembers, to be put back. */
export interface UndoRequest {
  operationId: string;
  action: OperationAction;
  /** What would have come due since. */
  overdue: OperationUndo["overdue"];
  ids: readonly string[];
  asOf: EpochMs | null;
}

/**
 * What became of one of them, which is noted already. A task without an answer is not as the operation left it, or
 * somebody holds its lock.
 */
export interface UndoneTask {
  id: string;
  outcome: Extract<UndoOutcome, "UNDONE" | "WITHOUT_RESULT" | "DUE_MEANWHILE" | "KEY_TAKEN">;
  /** For the messages behind the commit; null: it was left. */
  task: PageTask | null;
}

const ofEach = {
  asOf,
  operationId: typed("uuid", ({ operationId }: UndoRequest) => operationId),
  ids: rows(({ ids }: UndoRequest) => ids, { id: plain("uuid", (id: string) => id) }),
  actor: typed("text", ({ operationId }: UndoRequest) => `operation:${operationId}`),
} as const;
/** The parameters of a statement that puts tasks back into a wait. */
export const [waiting, waitingValues] = parameters<UndoRequest>()({
  ...ofEach,
  runsOverdue: typed("boolean", ({ overdue }) => overdue === "run"),
});
/** The parameters of one that puts tasks back to their ends; the first ones are the same. */
export const [ending, endingValues] = parameters<UndoRequest>()({
  ...ofEach,
  told: typed("text", ({ action }) =>
    action === "restore" ? "RESTORED" : action === "discard" ? "DISCARDED" : "RETRIED",
  ),
});

/**
 * The rows that the page's tasks are remembered by, as `page (memory)`. Each is probed: a join with the list would read
 * all that the operation remembers, for every page. They are carried along whole: a join of two lists of a page
 * compares each with each.
 */
export function pageOf(schema: QuotedSchema, condition = "true"): string {
  return `page AS MATERIALIZED (
      SELECT o.memory FROM ${arrayRows(waiting.ids)} CROSS JOIN LATERAL (
               SELECT m AS memory FROM ${schema}.operation_task m WHERE m.operation_id = ${waiting.operationId} AND m.task_id = r.id LIMIT 1) o
       WHERE (o.memory).undone IS NULL AND ${condition}
    )`;
}

/**
 * Those of the page that are in a table as the operation left them, locked, as `found` with all columns of a task and
 * `memory`; then the clock. Each is probed by itself: OFFSET 0 keeps the planner from a join that reads a table from
 * end to end.
 */
export function foundIn(schema: QuotedSchema, table: "task" | "history"): string {
  return `found AS MATERIALIZED (
      SELECT t.*, m.memory FROM page m CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.${table} t
         WHERE t.id = (m.memory).task_id AND t.version = (m.memory).version AND t.fence = (m.memory).fence AND ${stateById("t")} = (m.memory).state
        OFFSET 0 FOR UPDATE OF t SKIP LOCKED) t
    ),
    clock AS MATERIALIZED (SELECT ${now(waiting.asOf)} AS now FROM (SELECT count(*) FROM found) got)`;
}

/** What a column of `row` was before the operation. */
export function before(row: string, column: TaskColumn | "was"): string {
  return `(${row}.memory).${column}`;
}

/** Whether a task was not due when it was changed, and would be by now; and is to be left then. */
export function isDueMeanwhile(row: string): string {
  const due = before(row, "due_at");
  return `${before(row, "was")} = ${STATE.scheduled} AND ${due} <= clock.now AND ${due} > (${row}.memory).at AND NOT ${waiting.runsOverdue}`;
}

/** The due time of a task that waits again: never in the past. One that is paused is not due. */
export function dueAgain(row: string): string {
  const due = before(row, "due_at");
  return `CASE WHEN ${before(row, "was")} = ${STATE.scheduled} THEN greatest(${row}.now, ${due}) ELSE ${due} END`;
}

/** The fence of a row that was put back: raised, unless the row had ended and has ended again. */
export function fenceBehind(row: string): string {
  return `${row}.fence + (${row}.state <= ${STATE.scheduled} OR ${before(row, "was")} <= ${STATE.scheduled})::int`;
}

/** The journal's entry of an undo. */
export function undoneEntry(row: string): EntrySql {
  return {
    at: `${row}.now`,
    from: `${row}.state`,
    to: before(row, "was"),
    owner: "NULL",
    fence: fenceBehind(row),
    attempt: `${row}.attempt`,
    reason: "'UNDONE'",
    actor: waiting.actor,
  };
}

/** Locks the batches of tasks of `source` that come back, so that none completes meanwhile. */
export function lockedBatches(schema: QuotedSchema, source: string): string {
  return `batch AS MATERIALIZED (
      SELECT b.id FROM ${schema}.batch b WHERE b.id IN (SELECT batch_id FROM ${source}) FOR KEY SHARE
    )`;
}

/** Notes the outcomes of `source`. */
export function told(schema: QuotedSchema, source: string): string {
  return `told AS (
      UPDATE ${schema}.operation_task m SET undone = x.outcome FROM ${source} x
       WHERE m.operation_id = ${waiting.operationId} AND m.task_id = x.id
    )`;
}

/**
 * The answer.
 *
 * @param putBack a relation with all columns of a task as it is now, with its state before as `was`, and an `outcome`
 * @param judged a relation with `id` and an `outcome`; those that were left are told from it. Default: none was
 */
export function answered(putBack: string, judged?: string): string {
  const left = `
    UNION ALL SELECT j.id::text, NULL::text, j.outcome, NULL::smallint, NULL::smallint, NULL::bigint, NULL::uuid
      FROM ${judged} j WHERE j.outcome <> 'UNDONE'`;
  return `
    SELECT ${HINT_FIELDS}, t.outcome, t.was, t.state, ${wholeMs("t.finished_at")} AS finished_at, t.batch_id FROM ${putBack} t${judged === undefined ? "" : left}`;
}

export function readUndone(row: RawRow): UndoneTask {
  const outcome = row.outcome as UndoneTask["outcome"];
  return { id: row.id as string, outcome, task: row.hint === null ? null : readPageTask(row) };
}
