import type { BatchStopReason, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { membersInState } from "../../sql/batch-sql.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { parameters, typed } from "../../sql/parameters.js";
import { epochMs, instant, now } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/** What the look after the lock sees. */
export interface LookedAtMembers {
  now: EpochMs;
  /** A member that lives; null: none does. */
  witness: string | null;
}

/**
 * Looks for a live member of a batch whose row an earlier statement of the transaction has locked: so this look sees
 * every member that was added or brought back, and none is added before the commit. It is the newest member of its
 * state, which is likely to live longest, and behind which the index has fewest dead entries.
 *
 * Plan: at most three probes of the index of members.
 */
export const lookForLiveMember: Statement<{ id: string; asOf: EpochMs | null }, LookedAtMembers> = {
  name: "look_for_live_member",
  sql: (schema) => `
    SELECT ${epochMs(now("$1"))} AS now, (
      SELECT m.id::text FROM unnest(ARRAY[${STATE.scheduled}, ${STATE.running}, ${STATE.paused}]::smallint[])
        WITH ORDINALITY AS wanted (state, place) CROSS JOIN LATERAL (
          SELECT t.id FROM ${schema}.task t WHERE ${membersInState("t", LIVE)} LIMIT 1
        ) m ORDER BY wanted.place LIMIT 1
    ) AS witness`,
  values: ({ id, asOf }) => [asOf, id],
  read: (row) => ({ now: readInstant(row.now), witness: row.witness as string | null }),
};

const LIVE = {
  batch: "$2::uuid",
  state: "wanted.state",
  after: `'${BEFORE_ALL_IDS}'::uuid`,
  order: "DESC",
} as const;

/** What a review writes into a batch's row. */
export interface WrittenReview {
  id: string;
  now: EpochMs;
  witness: string | null;
  completes: boolean;
  checksDeadline: boolean;
  /** JSON; null: they are not looked for. */
  leftovers: string | null;
  beginsRetries: boolean;
  stops: BatchStopReason | null;
  hasStopped: boolean;
  onCompleteId: string | null;
  onSuccessId: string | null;
}

const [p, values] = parameters<WrittenReview>()({
  id: typed("uuid", ({ id }) => id),
  now: (review) => review.now,
  witness: typed("uuid", ({ witness }) => witness),
  completes: typed("boolean", ({ completes }) => completes),
  checksDeadline: typed("boolean", ({ checksDeadline }) => checksDeadline),
  leftovers: typed("json", ({ leftovers }) => leftovers),
  beginsRetries: typed("boolean", ({ beginsRetries }) => beginsRetries),
  stops: typed("text", ({ stops }) => stops),
  hasStopped: typed("boolean", ({ hasStopped }) => hasStopped),
  onCompleteId: typed("uuid", ({ onCompleteId }) => onCompleteId),
  onSuccessId: typed("uuid", ({ onSuccessId }) => onSuccessId),
});

/** Writes a review. Plan: one probe of the primary key. */
export const writeReview: Statement<WrittenReview, never> = {
  name: "write_batch_review",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${instant(p.now)} AS now)
    UPDATE ${schema}.batch b
       SET witness = ${p.witness},
           state = CASE WHEN ${p.completes} THEN 'complete' ELSE b.state END,
           finished_at = CASE WHEN ${p.completes} THEN clock.now ELSE b.finished_at END,
           deadline_checked_at = CASE WHEN ${p.checksDeadline} THEN clock.now ELSE b.deadline_checked_at END,
           leftovers = CASE WHEN ${p.checksDeadline} THEN ${p.leftovers} ELSE b.leftovers END,
           retrying_since = CASE WHEN ${p.beginsRetries} THEN clock.now ELSE b.retrying_since END,
           stop_reason = coalesce(${p.stops}, b.stop_reason),
           stopped_at = CASE WHEN ${p.stops} IS NOT NULL THEN clock.now ELSE b.stopped_at END,
           stopped_by = CASE WHEN ${p.stops} IS NOT NULL THEN 'batch:' || b.id ELSE b.stopped_by END,
           stopping = (b.stopping OR ${p.stops} IS NOT NULL) AND NOT ${p.hasStopped},
           on_complete_id = coalesce(${p.onCompleteId}, b.on_complete_id),
           on_success_id = coalesce(${p.onSuccessId}, b.on_success_id)
      FROM clock WHERE b.id = ${p.id}`,
  values,
  read: (row) => row as never,
};

/** Remembers another witness, where nothing else is to be written. */
export const keepWitness: Statement<{ id: string; witness: string | null }, never> = {
  name: "keep_batch_witness",
  sql: (schema) => `
    UPDATE ${schema}.batch SET witness = $2::uuid WHERE id = $1::uuid AND witness IS DISTINCT FROM $2::uuid`,
  values: ({ id, witness }) => [id, witness],
  read: (row) => row as never,
};
