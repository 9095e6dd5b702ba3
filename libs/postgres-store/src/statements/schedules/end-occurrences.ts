import type { EpochMs } from "@tickwheel/core";
import type { LiveEffect } from "@tickwheel/schedules";
import { asOf, listed, parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows, epochMs, now } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";

export interface EndOccurrences {
  /** Effects on tasks that this transaction has locked. */
  effects: readonly { taskId: string; effect: LiveEffect; reason: string; actor: string }[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<EndOccurrences>()({
  asOf,
  effects: rows(({ effects }: EndOccurrences) => effects, {
    id: plain("uuid", ({ taskId }) => taskId),
    effect: plain("text", ({ effect }) => effect),
    reason: plain("text", ({ reason }) => reason),
    actor: listed("text", ({ actor }) => actor),
  }),
});

/**
 * Carries out verdicts about occurrences: one that waits ends `cancelled`; one that executes is asked to stop and ends
 * with the same reason, or gets no further attempt. Answers the instant at which this was written.
 *
 * The row itself is the journal. Plan: one probe of the primary key per row.
 */
export const endOccurrences: Statement<EndOccurrences, EpochMs> = {
  name: "end_occurrences",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    changed AS (
      UPDATE ${schema}.task t
         SET state = CASE WHEN r.effect = 'end' THEN ${STATE.cancelled} ELSE t.state END,
             key_live = t.key_live AND r.effect <> 'end',
             finished_at = CASE WHEN r.effect = 'end' THEN clock.now END,
             cancel_requested_at = CASE WHEN r.effect = 'ask' THEN clock.now ELSE t.cancel_requested_at END,
             reason = CASE r.effect WHEN 'end' THEN r.reason WHEN 'ask' THEN nullif(r.reason, 'REQUESTED') ELSE t.reason END,
             cancelled_by = CASE WHEN r.effect <> 'lower' THEN r.actor ELSE t.cancelled_by END,
             max_attempts = CASE WHEN r.effect = 'lower' THEN t.attempt ELSE t.max_attempts END,
             given = t.given | (r.effect = 'lower')::int::smallint,
             version = t.version + 1
        FROM clock CROSS JOIN ${arrayRows(p.effects)}
       WHERE t.id = r.id
    )
    SELECT ${epochMs("now")} AS now FROM clock`,
  values,
  read: (row) => readInstant(row.now),
};
