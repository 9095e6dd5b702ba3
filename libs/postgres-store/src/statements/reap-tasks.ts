import type { EpochMs, ReapedTask, ReapRequest } from "@tickwheel/core";
import { tailLength, writeJournal } from "../journal-sql.js";
import { HINT_FIELDS, now, span } from "../sql-fragments.js";
import type { Statement } from "../session.js";
import { STATE, stateOf } from "../state-codes.js";
import { readHint } from "../task-rows.js";
import { termHeld } from "./lock-term.js";

/**
 * Takes running tasks from owners that were read as dead or gone before. The owners are a list, never a join: after a wait for a lock a
 * join would be checked against the old snapshot, a list against the row's newest version. Locked rows are left for the next round.
 *
 * The term is locked after the rows, none of which is waited for, and until the commit; where it is another's nothing is changed.
 *
 * The first crash costs no wait, the second 1 s, each further one twice as much, 60 s at most; with `maxCrashes` the task is `dead`.
 * Plan: the index of running tasks by owner.
 */
export const reapTasks: Statement<ReapRequest & { asOf: EpochMs | null }, ReapedTask> = {
  name: "reap_tasks",
  sql: (schema) => `
    WITH found AS MATERIALIZED (
      SELECT t.id, t.state, t.created_at, t.claimed_at, t.finished_at, t.cancel_requested_at, t.owner, t.fence, t.attempt, t.reason,
             t.created_by, t.cancelled_by, t.journal_count, t.crash_count + 1 AS crashes,
             CASE WHEN t.cancel_requested_at IS NOT NULL THEN ${STATE.cancelled}
                  WHEN t.crash_count + 1 >= $3::integer THEN ${STATE.dead} ELSE ${STATE.scheduled} END AS next_state
        FROM ${schema}.task t
       WHERE t.state = ${STATE.running} AND t.owner = ANY ($2::bigint[])
       LIMIT $4 FOR UPDATE OF t SKIP LOCKED
    ),
    leader AS MATERIALIZED (${termHeld(schema, { after: "found", term: "$5", holder: "$6" })}),
    leaving AS MATERIALIZED (
      SELECT f.*, clock.now FROM found f, (SELECT ${now("$1")} AS now) clock WHERE EXISTS (SELECT FROM leader)
    ),
    reaped AS (
      UPDATE ${schema}.task t
         SET state = l.next_state,
             key_live = t.key_live AND l.next_state = ${STATE.scheduled},
             owner = CASE WHEN l.next_state <> ${STATE.scheduled} THEN t.owner END,
             fence = t.fence + (l.next_state = ${STATE.scheduled})::int,
             crash_count = l.crashes,
             attempt = t.attempt - (l.next_state <> ${STATE.cancelled})::int,
             started_at = t.claimed_at,
             due_at = CASE WHEN l.next_state <> ${STATE.scheduled} THEN t.due_at WHEN l.crashes < 2 THEN l.now
                           ELSE l.now + ${span("least(1000 * 2 ^ least(l.crashes - 2, 16), 60000)")} END,
             finished_at = CASE WHEN l.next_state <> ${STATE.scheduled} THEN l.now END,
             reason = CASE l.next_state WHEN ${STATE.cancelled} THEN coalesce(t.reason, 'REQUESTED') WHEN ${STATE.dead} THEN 'CRASHES' END,
             journal_count = t.journal_count + CASE WHEN l.next_state = ${STATE.scheduled} THEN ${tailLength("l")} + 1 ELSE 0 END
        FROM leaving l
       WHERE t.id = l.id AND t.state = ${STATE.running} AND t.fence = l.fence
      RETURNING t.id, t.type_id, t.version, t.priority, t.due_at, t.state
    ),
    journalling AS (SELECT * FROM leaving WHERE next_state = ${STATE.scheduled}),
    journalled AS (${writeJournal(schema, { source: "journalling", own: OWN_ENTRY, recordedAt: RECORDED_AT })})
    SELECT ${HINT_FIELDS}, t.state FROM reaped t`,
  values: ({ leader, owners, maxCrashes, limit, asOf }) => [
    asOf,
    owners,
    maxCrashes,
    limit,
    leader.term,
    leader.holder,
  ],
  read: (row) => ({ state: stateOf(row.state), hint: readHint(row) }),
};

const RECORDED_AT = "(SELECT now FROM leaving LIMIT 1)";
const OWN_ENTRY = `
  SELECT j.id, j.journal_count + ${tailLength("j")} + 1, j.now, ${STATE.running}, ${STATE.scheduled}, j.owner, j.fence, j.attempt,
         'CRASHED', NULL FROM journalling j`;
