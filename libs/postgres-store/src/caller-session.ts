import type { CallerTransaction } from "@tickwheel/core";
import { translateDriverError } from "./driver-errors.js";
import type { QuotedSchema, RawRow, Session } from "./session.js";

/**
 * Runs statements on a transaction that belongs to the caller: nothing is set on it, begun or ended, and what fails leaves it to be
 * rolled back by its owner. Works on TypeORM's managers and runners as on a bare `pg` client.
 */
export function callerSession(within: CallerTransaction, schema: QuotedSchema): Session {
  return {
    run: async (statement, parameters) => {
      const sent = within.query(statement.sql(schema), statement.values(parameters));
      const answer = await sent.catch((error: unknown) => {
        throw translateDriverError(error, statement.name);
      });
      return rowsOf(answer).map((row) => statement.read(row));
    },
  };
}

/** The rows of a driver's answer: an array, `{ rows }`, or TypeORM's `[rows, count]` after UPDATE and DELETE. */
export function rowsOf(answer: unknown): RawRow[] {
  if (!Array.isArray(answer)) return (answer as { rows?: RawRow[] } | null)?.rows ?? [];
  const [first, second] = answer as [unknown, unknown];
  return answer.length === 2 && Array.isArray(first) && typeof second === "number" ? first : answer;
}
