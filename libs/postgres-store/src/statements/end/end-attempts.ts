import {
  type EpochMs,
  type ExecutionRef,
  GIVEN,
  type LatenessParts,
  type TaskHint,
  type TaskState,
} from "@tickwheel/core";
import {
  type EntrySql,
  errorOf,
  journalled,
  TAIL_COLUMNS,
  wayBackEntry,
  withChange,
  writeJournal,
} from "../../sql/journal-sql.js";
import { tallyEnds } from "../../sql/batch-sql.js";
import { tallyDeaths } from "../../sql/dead-sql.js";
import { latenessPartsText } from "../../sql/lateness-sql.js";
import { asOf, listed, lockLimit, parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows, HINT_FIELDS, instant, lockTimeout, now, span, stateById } from "../../sql/sql-fragments.js";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import { leasesGo } from "./leases-go.js";
import { readHint, writeText } from "../../sql/task-rows.js";

/** The reason of a departure whose handler puts its task off. */
export const SNOOZED = "SNOOZED";

/** An execution that ends without success. */
export interface Departure extends ExecutionRef {
  /** Null: the task was given back before its handler was called. */
  startedAt: EpochMs | null;
  /** Absent: not measured. */
  latenessParts?: LatenessParts | null;
  /** The wait before the next attempt, in milliseconds. Null: the task ends `dead`. */
  delayMs: number | null;
  /** Whether the attempt counts. */
  charged: boolean;
  /** The most attempts, unless the row has those that its creator gave. Null: the row's. */
  maxAttempts: number | null;
  /** A deferral is noted as a change of a task that waits; the row counts it. */
  isDeferral: boolean;
  /** Why the task is dead, or the journal's reason for its way back to `scheduled`. */
  reason: string;
  error: string | null;
  /** The print of the error, see `printOf`. */
  errorPrint: number | null;
}
export interface LeaveRunning {
  departures: readonly Departure[];
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}
/** An execution that a statement ended, and what became of its task. */
export interface EndedExecution extends ExecutionRef {
  state: TaskState;
  /** Null unless the task is scheduled again. */
  hint: TaskHint | null;
  /** Null unless it succeeded. */
  finishedAt: EpochMs | null;
}

const [p, values] = parameters<LeaveRunning>()({
  asOf,
  lockLimit,
  departures: rows(({ departures }: LeaveRunning) => departures, {
    id: plain("uuid", ({ id }) => id),
    owner: plain("bigint", ({ owner }) => owner),
    fence: plain("integer", ({ fence }) => fence),
    started_ms: plain("float8", ({ startedAt }) => startedAt),
    delay_ms: plain("float8", ({ delayMs }) => (delayMs === null ? null : Math.round(delayMs))),
    charged: listed("boolean", ({ charged }) => charged),
    max_attempts: plain("integer", ({ maxAttempts }) => maxAttempts),
    is_deferral: listed("boolean", ({ isDeferral }) => isDeferral),
    why: listed("text", ({ reason }) => reason),
    error: listed("text", ({ error }) => (error === null ? null : writeText(error))),
    error_print: plain("bigint", ({ errorPrint }) => errorPrint),
    run_lateness_parts: plain("text", ({ latenessParts }) => latenessPartsText(latenessParts)),
  }),
});

/**
 * Ends executions that did not succeed: a failure, a snooze, a release, a deferral. It ends each only while it is
 * running under its owner and fence. If a cancel was requested, the task ends `cancelled`. Otherwise it ends `dead`,
 * also where its attempts were lowered while it ran, or is `scheduled` again with a higher fence and no owner.
 *
 * The rows are locked first, because the journal needs them as they were. A way back to `scheduled` writes the journal;
 * of an end the row itself is the journal, and a deferral is a note of the row. The dead are tallied by type and print.
 * Plan: two probes of the primary key per row.
 */
export const endAttempts: Statement<LeaveRunning, EndedExecution> = {
  name: "end_attempts",
  sql: (schema) => textOf(schema, "FOR UPDATE OF t"),
  values,
  read: (row) => readEnd(row, stateOf(row.state)),
};

/** The same, but it skips rows that others have locked. */
export const endAttemptsUnlocked: Statement<LeaveRunning, EndedExecution> = {
  ...endAttempts,
  name: "end_attempts_unlocked",
  sql: (schema) => textOf(schema, "FOR UPDATE OF t SKIP LOCKED"),
};

/** The same of pulled tasks: their leases go. */
export const endPulled: Statement<LeaveRunning, EndedExecution> = {
  ...endAttempts,
  name: "end_pulled",
  sql: (schema) => textOf(schema, "FOR UPDATE OF t", leasesOf(schema)),
};

/** The same, but it skips rows that others have locked. */
export const endPulledUnlocked: Statement<LeaveRunning, EndedExecution> = {
  ...endAttempts,
  name: "end_pulled_unlocked",
  sql: (schema) => textOf(schema, "FOR UPDATE OF t SKIP LOCKED", leasesOf(schema)),
};

function leasesOf(schema: QuotedSchema): string {
  return `,
    ${leasesGo(schema, { ended: "departed", fence: "e.fence", many: p.departures })}`;
}

/** What the creator gave holds; else what the handler says. A schedule that lowers the attempts gives them, too. */
const MOST = `CASE WHEN t.given & ${GIVEN.maxAttempts} = 0 THEN coalesce(r.max_attempts, t.max_attempts) ELSE t.max_attempts END`;

function textOf(schema: QuotedSchema, lock: string, more = ""): string {
  return `
    WITH guard AS MATERIALIZED (${lockTimeout(p.lockLimit)}),
    found AS MATERIALIZED (
      SELECT t.id, t.batch_id, ${TAIL_COLUMNS.map((column) => `t.${column}`).join(", ")}, r.started_ms, r.delay_ms, r.charged, ${MOST} AS most, r.is_deferral, r.why, r.error, r.error_print, r.run_lateness_parts,
             CASE WHEN t.cancel_requested_at IS NOT NULL THEN ${STATE.cancelled}
                  WHEN r.delay_ms IS NULL OR (r.charged AND t.attempt >= ${MOST}) THEN ${STATE.dead} ELSE ${STATE.scheduled} END AS next_state
        FROM guard CROSS JOIN ${arrayRows(p.departures)}
        JOIN ${schema}.task t ON t.id = r.id
       WHERE ${stateById("t")} = ${STATE.running} AND t.owner = r.owner AND t.fence = r.fence
         ${lock}
    ),
    ${departing(schema, { asOf: p.asOf, more })}`;
}

/**
 * Ends the executions of `found`, which are locked, and answers what became of their tasks.
 *
 * @param more what is written besides, with a comma before it
 * @param column what is told besides, with a comma before it
 */
export function departing(
  schema: QuotedSchema,
  { asOf: asOfSql, more, column = "" }: { asOf: string; more: string; column?: string },
): string {
  return `leaving AS MATERIALIZED (
      SELECT f.*, f.next_state = ${STATE.scheduled} AS goes_back, clock.now FROM found f, (SELECT ${now(asOfSql)} AS now) clock
    ),
    departed AS (
      UPDATE ${schema}.task t SET ${CHANGES} FROM leaving l WHERE t.id = l.id
      RETURNING t.id, t.type_id, t.version, t.priority, t.due_at, t.state, l.owner, l.fence, t.finished_at, t.reason, t.last_error, t.error_print
    ),
    mourned AS (${tallyDeaths(schema, "departed", { isNew: true })}),
    tallied AS (${tallyEnds(schema, "leaving", "next_state")}),
    journalling AS (SELECT * FROM leaving WHERE goes_back AND NOT is_deferral),
    journalled AS (${writeJournal(schema, { source: "journalling", own: ownEntry("r"), recordedAt: RECORDED_AT })})${more}
    SELECT ${HINT_FIELDS}, t.state, t.owner::text AS owner, t.fence${column} FROM departed t`;
}

const ownEntry = (row: string): EntrySql =>
  wayBackEntry(row, `${row}.why`, {
    startedAt: instant(`${row}.started_ms`),
    latenessParts: `${row}.run_lateness_parts`,
    error: errorOf(`${row}.error`),
  });

/** As of the task that waits again. */
const PUT_OFF = withChange(
  "l",
  {
    at: "l.now",
    from: String(STATE.scheduled),
    to: String(STATE.scheduled),
    reason: "l.why",
    actor: "NULL",
    fence: "l.fence + 1",
    attempt: "l.attempt - 1",
    count: "1",
  },
  (note) => `${note} ->> 'reason' = l.why AND ${note} ->> 'actor' IS NULL`,
);
const IN_ROW = journalled("l", ownEntry("l"));
const CHANGES = `
             state = l.next_state,
             key_live = t.key_live AND l.goes_back,
             owner = CASE WHEN NOT l.goes_back THEN t.owner END,
             fence = t.fence + l.goes_back::int,
             attempt = t.attempt - (l.goes_back AND NOT l.charged)::int,
             max_attempts = l.most,
             due_at = CASE WHEN l.goes_back THEN l.now + ${span("greatest(l.delay_ms, 0)")} ELSE t.due_at END,
             started_at = coalesce(${instant("l.started_ms")}, t.started_at),
             lateness_parts = CASE WHEN l.started_ms IS NULL THEN t.lateness_parts ELSE l.run_lateness_parts END,
             finished_at = CASE WHEN NOT l.goes_back THEN l.now END,
             reason = CASE l.next_state WHEN ${STATE.cancelled} THEN coalesce(t.reason, 'REQUESTED') WHEN ${STATE.dead} THEN CASE WHEN l.delay_ms IS NULL THEN l.why ELSE 'ATTEMPTS' END END,
             last_error = coalesce(l.error, t.last_error),
             error_print = coalesce(l.error_print, t.error_print),
             snooze_count = t.snooze_count + (l.goes_back AND l.why = '${SNOOZED}')::int,
             defer_count = t.defer_count + l.is_deferral::int,
             journal_count = CASE WHEN l.goes_back AND NOT l.is_deferral THEN ${IN_ROW.journal_count} ELSE t.journal_count END,
             notes = CASE WHEN NOT l.goes_back THEN t.notes WHEN l.is_deferral THEN ${PUT_OFF} ELSE ${IN_ROW.notes} END`;

const RECORDED_AT = "(SELECT now FROM leaving LIMIT 1)";

/** Reads a row of id, owner and fence, and of `HINT_FIELDS` if the task is scheduled again. */
export function readEnd(row: RawRow, state: TaskState): EndedExecution {
  const hint = state === "scheduled" ? readHint(row) : null;
  return { id: row.id as string, owner: row.owner as string, fence: Number(row.fence), state, hint, finishedAt: null };
}
