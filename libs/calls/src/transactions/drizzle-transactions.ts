import { type ConnectionPool, hearConnectionErrors } from "./connection-errors.js";
import { foreignHandle, hasMethod } from "./foreign-handle.js";
import type { TransactionAdapter } from "./transaction-adapter.js";

/** What Drizzle's sessions prepare a statement from. */
interface RawQuery {
  sql: string;
  params: unknown[];
}

/** A transaction of Drizzle, as far as it is used here. */
export interface DrizzleTransaction {
  readonly _: {
    readonly session: {
      prepareQuery(
        query: RawQuery,
        fields: undefined,
        name: undefined,
        isResponseInArrayMode: boolean,
      ): { execute(): Promise<unknown> };
    };
  };
}

/** Drizzle's database of `drizzle-orm/node-postgres`, as far as it is used here. */
export interface DrizzleDatabase<Handle> {
  /** The pool that it was made of, or has made. */
  readonly $client: object;
  transaction<T>(work: (transaction: Handle) => Promise<T>): Promise<T>;
}

/**
 * The transactions of Drizzle on `drizzle-orm/node-postgres`. `manager` takes its `tx`, and `ctx.transaction` gives
 * one: `DelayTaskContext<Tx>` with `type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0]`.
 *
 * @param db of the database that `url` names
 * @example DelayTaskModule.forRoot({ url, transactions: drizzleTransactions(db) })
 */
export function drizzleTransactions<Handle extends DrizzleTransaction>(
  db: DrizzleDatabase<Handle>,
): TransactionAdapter<Handle> {
  if (hasMethod(db.$client, "on")) hearConnectionErrors(db.$client as ConnectionPool);
  return {
    run: (work) => db.transaction(work),
    statements: (transaction) => {
      // `tx.execute` takes a text without parameters alone; a `sql` template would number the placeholders anew.
      const session = (transaction as Partial<DrizzleTransaction> | null)?._?.session;
      if (!session || !hasMethod(session, "prepareQuery"))
        throw foreignHandle("is no transaction of Drizzle", "the `tx` that db.transaction(…) hands on");
      return {
        query: (sql, params = []) =>
          session.prepareQuery({ sql, params }, undefined, undefined, false).execute().catch(throwCause),
      };
    },
  };
}

/** Drizzle wraps the driver's error. */
function throwCause(error: unknown): never {
  throw (error as { cause?: unknown } | null)?.cause ?? error;
}
