import type { CallerTransaction } from "@tickwheel/core";
import { type ConnectionPool, hearConnectionErrors } from "./connection-errors.js";
import { foreignHandle, hasMethod } from "./foreign-handle.js";
import type { TransactionAdapter } from "./transaction-adapter.js";

/** A client of `pg` that was taken from a pool. */
export interface PgClient extends CallerTransaction {
  release(error?: Error | boolean): void;
}

/** A pool of `pg`. */
export interface PgPool extends ConnectionPool {
  connect(): Promise<PgClient>;
}

/**
 * The transactions of plain `pg`. `manager` takes the client on which the application has said `BEGIN`, and
 * `ctx.transaction` gives one: `DelayTaskContext<PoolClient>`. The application's own `BEGIN` and `COMMIT` are not for
 * the client that a handler gets.
 *
 * @param pool of the database that `url` names
 * @example DelayTaskModule.forRoot({ url, transactions: pgTransactions(pool) })
 */
export function pgTransactions(pool: PgPool): TransactionAdapter<CallerTransaction> {
  hearConnectionErrors(pool);
  return {
    run: (work) => runOn(pool, work),
    statements: (client) => {
      if (hasMethod(client, "query")) return client;
      throw foreignHandle(
        "has no method query(sql, parameters)",
        "the client of `pg` on which the transaction is open",
      );
    },
  };
}

async function runOn<T>(pool: PgPool, work: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection whose transaction may still be open is not used again.
  let isOpen = true;
  const end = async (how: "COMMIT" | "ROLLBACK"): Promise<void> => {
    await client.query(how);
    isOpen = false;
  };
  try {
    await client.query("BEGIN");
    const value = await doneOr(
      () => end("ROLLBACK"),
      () => work(client),
    );
    await end("COMMIT");
    return value;
  } finally {
    client.release(isOpen);
  }
}

/** What `work` answers. Where it throws, its error is thrown once `undo` has ended, however that ends. */
async function doneOr<T>(undo: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await undo().catch(() => undefined);
    throw error;
  }
}
