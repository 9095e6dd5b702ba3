import type { EpochMs } from "@tickwheel/core";
import { tallyEnds } from "../../sql/batch-sql.js";
import { asOf, listed, parameters, rows } from "../../sql/parameters.js";
import { arrayRows, epochMs, now } from "../../sql/sql-fragments.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

export interface FreeKeys {
  /** Holders that this transaction has locked. */
  holders: readonly {
    id: string;
    /** The actor who replaces the holder. Null: the holder has started and goes on without its key. */
    replacedBy: string | null;
    /** The task that takes the key of a holder that goes on; null: the holder is replaced. */
    continuedBy: string | null;
  }[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<FreeKeys>()({
  asOf,
  holders: rows(({ holders }: FreeKeys) => holders, {
    id: listed("uuid", ({ id }) => id),
    replaced_by: listed("text", ({ replacedBy }) => replacedBy),
    continued_by: listed("uuid", ({ continuedBy }) => continuedBy),
  }),
});

/**
 * Takes the keys from their holders. A holder that goes on names the task that takes its key. A replaced holder that
 * waits ends `cancelled`. One that runs is asked to stop, and ends `cancelled` with the same reason when it stops.
 * Answers the instant at which this was written.
 */
export const freeKeys: Statement<FreeKeys, EpochMs> = {
  name: "free_keys",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    ${freeing(schema, arrayRows(p.holders))}
    SELECT ${epochMs("now")} AS now FROM clock`,
  values,
  read: (row) => readInstant(row.now),
};

/**
 * Its two common table expressions, below `clock`.
 *
 * @param holders the rows `r`, as a relation
 */
export function freeing(schema: QuotedSchema, holders: string): string {
  return `freed AS (
      UPDATE ${schema}.task t
         SET key_live = false,
             state = CASE WHEN a.ends THEN ${STATE.cancelled} ELSE t.state END,
             finished_at = CASE WHEN a.ends THEN clock.now END,
             cancel_requested_at = CASE WHEN a.asks AND NOT a.ends THEN clock.now ELSE t.cancel_requested_at END,
             reason = CASE WHEN a.asks THEN 'REPLACED' ELSE t.reason END,
             cancelled_by = CASE WHEN a.asks THEN r.replaced_by ELSE t.cancelled_by END,
             continued_by = coalesce(r.continued_by, t.continued_by),
             version = t.version + a.asks::int
        FROM clock CROSS JOIN ${holders}
             JOIN ${schema}.task o ON o.id = r.id
             CROSS JOIN LATERAL (SELECT r.replaced_by IS NOT NULL AND o.cancel_requested_at IS NULL AS asks,
                                        r.replaced_by IS NOT NULL AND o.state <= ${STATE.scheduled} AS ends) a
       WHERE t.id = r.id AND t.key_live
      RETURNING t.state, t.batch_id
    ),
    tallied AS (${tallyEnds(schema, "freed", "state")})`;
}
