import { wholeMs } from "../../sql/sql-fragments.js";

/** The row of a pause that is over is kept for so long. */
export const KEPT = "interval '1 minute'";

/** The end of the pause `row` in epoch milliseconds; null: it has none. */
export function untilMs(row: string): string {
  return `CASE WHEN ${row}.until_at < 'infinity' THEN ${wholeMs(`${row}.until_at`)} END`;
}
