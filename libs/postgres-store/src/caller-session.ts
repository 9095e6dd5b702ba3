import { createHash } from "node:crypto";
import type { CallerTransaction } from "@tickwheel/core";
import { translateDriverError } from "./driver-errors.js";
import type { QuotedSchema, RawRow, Session } from "./session.js";

/** A connection of `pg`, which can prepare a statement under a name. */
interface PreparingConnection {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: RawRow[] }>;
}

/**
 * Runs statements on a transaction that belongs to the caller: nothing is set on it, begun or ended, and what fails leaves it to be
 * rolled back by its owner. Works on TypeORM's managers and runners as on a bare `pg` client.
 *
 * Where the connection itself can be reached the statements are prepared on it by name: planning one anew costs Postgres up to eight
 * times what running it costs (measured: 2.0 ms against 0.25 ms for a keyed create).
 */
export function callerSession(within: CallerTransaction, schema: QuotedSchema): Session {
  return {
    run: async (statement, parameters) => {
      const text = statement.sql(schema);
      const values = statement.values(parameters);
      try {
        const connection = statement.isPrepared === false ? null : await connectionOf(within);
        const answer = connection
          ? await connection.query({ name: nameOf(statement.name, schema, text), text, values })
          : await within.query(text, values);
        return rowsOf(answer).map((row) => statement.read(row));
      } catch (error) {
        throw translateDriverError(error, statement.name);
      }
    },
  };
}

/** The rows of a driver's answer: an array, `{ rows }`, or TypeORM's `[rows, count]` after UPDATE and DELETE. */
export function rowsOf(answer: unknown): RawRow[] {
  if (!Array.isArray(answer)) return (answer as { rows?: RawRow[] } | null)?.rows ?? [];
  const [first, second] = answer as [unknown, unknown];
  return answer.length === 2 && Array.isArray(first) && typeof second === "number" ? first : answer;
}

/** The `pg` connection behind a TypeORM manager or runner with an open transaction, or a bare one; null where it cannot be reached. */
async function connectionOf(within: CallerTransaction): Promise<PreparingConnection | null> {
  const candidate = within as { queryRunner?: unknown };
  const runner = (candidate.queryRunner ?? within) as {
    isTransactionActive?: boolean;
    connect?: () => Promise<unknown>;
  };
  const connection = runner.isTransactionActive === true ? await runner.connect?.() : within;
  return isPgConnection(connection) ? connection : null;
}

/** Duck-typed: the application's `pg` may be another copy than ours. */
function isPgConnection(value: unknown): value is PreparingConnection {
  const { query, escapeIdentifier, connection } = (value ?? {}) as Record<string, unknown>;
  return typeof query === "function" && typeof escapeIdentifier === "function" && connection !== undefined;
}

const names = new Map<string, string>();

/** One name per text: an application may use several schemas, or several versions of this library, on one connection. */
function nameOf(statement: string, schema: QuotedSchema, text: string): string {
  const key = `${schema}.${statement}`;
  let name = names.get(key);
  if (name === undefined) {
    const digest = createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
    names.set(key, (name = `tickwheel_${statement}_${digest}`));
  }
  return name;
}
