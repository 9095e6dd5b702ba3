import { type ConnectionPool, hearConnectionErrors } from "./connection-errors.js";
import { foreignHandle, hasMethod } from "./foreign-handle.js";
import type { TransactionAdapter } from "./transaction-adapter.js";

/** What Kysely calls a compiled query, of a raw text. */
interface RawQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: { readonly kind: "RawNode"; readonly sqlFragments: readonly string[]; readonly parameters: never[] };
  readonly queryId: { readonly queryId: string };
}

/** A transaction of Kysely, as far as it is used here. */
export interface KyselyTransaction {
  withoutPlugins(): { executeQuery(query: RawQuery): Promise<{ rows: unknown[] }> };
}

/** Kysely itself, as far as it is used here. */
export interface KyselyDatabase<Handle> {
  transaction(): { execute<T>(work: (transaction: Handle) => Promise<T>): Promise<T> };
}

/**
 * The transactions of Kysely on its `PostgresDialect`. `manager` takes its transaction, and `ctx.transaction` gives
 * one: `DelayTaskContext<Transaction<Database>>`. Plugins do not touch Tickwheel's statements.
 *
 * @param db of the database that `url` names
 * @param pool the pool of `pg` that the dialect was given. Without it an application has to hear the `error` event of
 *   each connection itself: the server may end a handler's session, and an event that nobody hears ends the process
 * @example DelayTaskModule.forRoot({ url, transactions: kyselyTransactions(db, pool) })
 */
export function kyselyTransactions<Handle extends KyselyTransaction>(
  db: KyselyDatabase<Handle>,
  pool?: ConnectionPool,
): TransactionAdapter<Handle> {
  if (pool) hearConnectionErrors(pool);
  return {
    run: (work) => db.transaction().execute(work),
    statements: (transaction) => {
      if (!hasMethod(transaction, "withoutPlugins"))
        throw foreignHandle("is no transaction of Kysely", "the `trx` that db.transaction().execute(…) hands on");
      const plain = transaction.withoutPlugins();
      return { query: async (sql, parameters = []) => (await plain.executeQuery(rawQuery(sql, parameters))).rows };
    },
  };
}

/** What `CompiledQuery.raw` makes. The library itself is not imported. */
function rawQuery(sql: string, parameters: readonly unknown[]): RawQuery {
  const query = { kind: "RawNode" as const, sqlFragments: [sql], parameters: [] };
  return { sql, parameters, query, queryId: { queryId: "tickwheel" } };
}
