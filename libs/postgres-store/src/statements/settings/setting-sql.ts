import { wholeMs } from "../../sql/sql-fragments.js";

/** The row of a pause that is over is kept for so long. */
export const KEPT = "interval '1 minute'";

/** The values of the limit `row`, as the members of a JSON object. */
export function limitMembers(row: string): string {
  return `'maxRunning', ${row}.max_running, 'rate', CASE WHEN ${row}.rate_count IS NOT NULL
                     THEN json_build_object('count', ${row}.rate_count, 'perMs', ${row}.rate_ms, 'burst', ${row}.burst) END`;
}

/** The end of the pause `row` in epoch milliseconds; null: it has none. */
export function untilMs(row: string): string {
  return `CASE WHEN ${row}.until_at < 'infinity' THEN ${wholeMs(`${row}.until_at`)} END`;
}
