import { SKIPPED } from "@tickwheel/core";
import type { QuotedSchema } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/**
 * An INSERT that counts tasks which come into history or leave it, each at the minute of its end.
 *
 * @param source a relation of tasks as they stand in history
 * @param counted `sign`: `-` for those that leave; `which`: which rows are meant
 */
export function countArchived(
  schema: QuotedSchema,
  source: string,
  { sign, which }: { sign: "" | "-"; which: string },
): string {
  const count = (condition: string): string => `${sign}count(*) FILTER (WHERE ${condition})`;
  return `
        INSERT INTO ${schema}.tally (at, span_minutes, type_id, succeeded, skipped, cancelled, expired)
        SELECT date_trunc('minute', finished_at, 'UTC'), 1, type_id, ${count(`state = ${STATE.succeeded}`)}, ${count(`reason = '${SKIPPED}'`)},
               ${count(`state = ${STATE.cancelled}`)}, ${count(`state = ${STATE.expired}`)} FROM ${source} WHERE ${which} GROUP BY 1, 3`;
}
