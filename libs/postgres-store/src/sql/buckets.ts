/**
 * An instant (a timestamptz expression) cut to spans of so many milliseconds (a float8 expression); days are UTC days.
 */
export function binOf(instant: string, ms: string): string {
  return `date_bin((${ms})::float8 * interval '1 millisecond', ${instant}, timestamptz '2000-01-01 00:00:00+00')`;
}
