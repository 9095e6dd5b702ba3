import { CONSUMER, type EpochMs, NODES_DIED, printOf, type ReapedTask, type ReapRequest } from "@tickwheel/core";
import { tallyEnds } from "../../sql/batch-sql.js";
import { tallyDeaths } from "../../sql/dead-sql.js";
import { type EntrySql, journalled, TAIL_COLUMNS, wayBackEntry, writeJournal } from "../../sql/journal-sql.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { HINT_FIELDS, now, span } from "../../sql/sql-fragments.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import { readHint } from "../../sql/task-rows.js";
import { termHeld } from "../leader/lock-term.js";

/** A task that was killed this often in a blocked loop ends dead, however many crashes are left. */
const MAX_BLOCKED_KILLS = 2;
/**
 * Suspects of one node are due one after the other, so each finds the quarantine free if the one before it was short.
 */
const SUSPECT_SPACING_MS = 50;
/** The task whose handler was called last comes after the others, and is due this much later. */
const LAST_STARTED_DELAY_MS = 1_000;

interface ReapTasks extends ReapRequest {
  asOf: EpochMs | null;
}

const [p, values] = parameters<ReapTasks>()({
  asOf,
  owners: typed("bigint[]", ({ owners }) => owners),
  maxCrashes: typed("integer", ({ maxCrashes }) => maxCrashes),
  limit: ({ limit }) => limit,
  term: ({ leader }) => leader.term,
  holder: ({ leader }) => leader.holder,
});

/**
 * Takes running tasks from owners that an earlier statement found dead or gone. The owners are a list, never a join:
 * after a wait for a lock, a join would be checked against the old snapshot, a list is checked against the row's newest
 * version. Locked rows are left for the next round.
 *
 * The term is locked after the rows, without waiting for any of them, and stays locked until the commit. If another
 * node holds it, nothing is changed.
 *
 * The first crash costs no wait, the second 1 s, each further one twice as much, 60 s at most. With `maxCrashes`
 * crashes the task is `dead`. If the owner's last beat told of a blocked loop, the task is a suspect from its first
 * crash on, and dead at its second crash of this kind. (The dead node's row says whether the loop was blocked, and
 * changes no more.) A dead task's error says where and when its nodes died. Plan: the index of running tasks by owner,
 * a probe of `suspect` per row, and the journal of the tasks that end dead.
 */
export const reapTasks: Statement<ReapTasks, ReapedTask> = {
  name: "reap_tasks",
  sql: (schema) => `
    WITH found AS MATERIALIZED (
      SELECT t.id, ${TAIL_COLUMNS.map((column) => `t.${column}`).join(", ")}, t.crash_count + 1 AS crashes
        FROM ${schema}.task t
       WHERE t.state = ${STATE.running} AND t.owner = ANY (${p.owners}) AND t.owner > ${CONSUMER}
       LIMIT ${p.limit} FOR UPDATE OF t SKIP LOCKED
    ),
    leader AS MATERIALIZED (${termHeld(schema, { after: "found", term: p.term, holder: p.holder })}),
    ${deathsOf(schema)}
    reaped AS (
      UPDATE ${schema}.task t
         SET state = l.next_state,
             key_live = t.key_live AND l.next_state = ${STATE.scheduled},
             owner = CASE WHEN l.next_state <> ${STATE.scheduled} THEN t.owner END,
             fence = t.fence + (l.next_state = ${STATE.scheduled})::int,
             crash_count = l.crashes,
             attempt = t.attempt - (l.next_state <> ${STATE.cancelled})::int,
             started_at = t.claimed_at,
             lateness_parts = NULL,
             due_at = CASE WHEN l.next_state <> ${STATE.scheduled} THEN t.due_at ELSE l.now + ${span("l.wait_ms")} END,
             finished_at = CASE WHEN l.next_state <> ${STATE.scheduled} THEN l.now END,
             reason = CASE l.next_state WHEN ${STATE.cancelled} THEN coalesce(t.reason, 'REQUESTED') WHEN ${STATE.dead} THEN 'CRASHES' END,
             last_error = CASE WHEN l.next_state = ${STATE.dead} THEN ${deathOf(schema)} ELSE t.last_error END,
             error_print = CASE WHEN l.next_state = ${STATE.dead} THEN ${printOf(NODES_DIED).print} ELSE t.error_print END,
             journal_count = CASE WHEN l.next_state = ${STATE.scheduled} THEN ${IN_ROW.journal_count} ELSE t.journal_count END,
             notes = CASE WHEN l.next_state = ${STATE.scheduled} THEN ${IN_ROW.notes} ELSE t.notes END
        FROM leaving l
       WHERE t.id = l.id AND t.state = ${STATE.running} AND t.fence = l.fence
      RETURNING t.id, t.type_id, t.version, t.priority, t.due_at, t.state, t.key, t.last_error, t.batch_id, t.finished_at, t.reason, t.error_print
    ),
    mourned AS (${tallyDeaths(schema, "reaped", { isNew: true })}),
    tallied AS (${tallyEnds(schema, "reaped", "state")}),
    suspected AS (
      INSERT INTO ${schema}.suspect (task_id, kills, killed_at)
      SELECT l.id, l.kills, l.now FROM leaving l WHERE l.was_blocked OR l.crashes > 1
      ON CONFLICT (task_id) DO UPDATE SET kills = excluded.kills, killed_at = excluded.killed_at
    ),
    cleared AS (
      DELETE FROM ${schema}.suspect s USING leaving l WHERE s.task_id = l.id AND NOT l.was_blocked AND l.crashes = 1
    ),
    journalling AS (SELECT * FROM leaving WHERE next_state = ${STATE.scheduled}),
    journalled AS (${writeJournal(schema, { source: "journalling", own: ownEntry("r"), recordedAt: RECORDED_AT })})
    SELECT ${HINT_FIELDS}, t.state, t.key, t.last_error FROM reaped t`,
  values,
  read: (row) => ({
    state: stateOf(row.state),
    hint: readHint(row),
    key: row.key as string | null,
    lastError: row.last_error as string | null,
  }),
};

const RECORDED_AT = "(SELECT now FROM leaving LIMIT 1)";
const ownEntry = (row: string): EntrySql =>
  wayBackEntry(row, `CASE WHEN ${row}.was_blocked THEN 'LOOP_BLOCKED' ELSE 'CRASHED' END`);

const IN_ROW = journalled("l", ownEntry("l"));

/** `known` and `leaving`: how each task's node died, and what becomes of the task. */
function deathsOf(schema: QuotedSchema): string {
  return `known AS MATERIALIZED (
      SELECT f.*, n.label, n.blocked IS NOT NULL AS was_blocked,
             CASE WHEN f.crashes > 1 THEN coalesce(s.kills, 0) ELSE 0 END + (n.blocked IS NOT NULL)::int AS kills,
             coalesce(n.blocked ->> 'lastStarted' = f.id::text, false) AS was_last
        FROM found f LEFT JOIN ${schema}.node n ON n.boot_id = f.owner LEFT JOIN ${schema}.suspect s ON s.task_id = f.id
       WHERE EXISTS (SELECT FROM leader)
    ),
    leaving AS MATERIALIZED (
      SELECT k.*, clock.now,
             CASE WHEN k.cancel_requested_at IS NOT NULL THEN ${STATE.cancelled}
                  WHEN k.crashes >= ${p.maxCrashes} OR (k.was_blocked AND k.kills >= ${MAX_BLOCKED_KILLS}) THEN ${STATE.dead}
                  ELSE ${STATE.scheduled} END AS next_state,
             CASE WHEN k.crashes < 2 THEN 0 ELSE least(1000 * 2 ^ least(k.crashes - 2, 16), 60000) END
               + CASE WHEN k.was_blocked THEN ${LAST_STARTED_DELAY_MS} * k.was_last::int + ${SUSPECT_SPACING_MS} * (row_number() OVER (
                   PARTITION BY k.was_blocked ORDER BY k.was_last, k.claimed_at, k.id) - 1) ELSE 0 END AS wait_ms
        FROM known k, (SELECT ${now(p.asOf)} AS now) clock
    ),`;
}

/**
 * Where and when the nodes of this account died. The earlier deaths are in the journal, the latest one is in the row
 * `l`.
 */
function deathOf(schema: QuotedSchema): string {
  const told = (node: string, at: string, blocked: string): string => `
    concat('node ', coalesce(${node}, 'unknown'), ' at ', to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           CASE WHEN ${blocked} THEN ' (its event loop was blocked)' END)`;
  return `
    concat('${NODES_DIED}: ', (
      SELECT string_agg(${told("c.node", "c.at", "c.reason = 'LOOP_BLOCKED'")} || '; ', '' ORDER BY c.seq) FROM (
        SELECT j.node, j.at, j.reason, j.seq FROM ${schema}.journal j
         WHERE j.task_id = l.id AND j.reason IN ('CRASHED', 'LOOP_BLOCKED')
         ORDER BY j.seq DESC LIMIT l.crashes - 1
      ) c), ${told("l.label", "l.now", "l.was_blocked")})`;
}
