import { wholeMs } from "../../sql/sql-fragments.js";

/** The tokens of the bucket `row` at `now`, an instant. */
export function tokensAt(row: string, now: string): string {
  return `least(${row}.burst, ${row}.tokens + greatest(0, ${wholeMs(`${now} - ${row}.refilled_at`)}) * ${row}.rate_per_ms)`;
}
