import type { CallerTransaction } from "@tickwheel/core";

/**
 * How Tickwheel uses the transactions of a library: Prisma, Drizzle, Kysely, `pg` or another one. It is the option
 * `transactions` of `DelayTaskModule`. The library's database must be the one that `url` names.
 *
 * @typeParam Handle what the library calls a transaction: what `{ manager }` takes and `ctx.transaction` gives
 * @example
 * const transactions: TransactionAdapter<Knex.Transaction> = {
 *   run: (work) => knex.transaction(work),
 *   statements: (trx) => ({ query: (sql, parameters) => queryOf(trx, sql, parameters) }),
 * };
 */
export interface TransactionAdapter<Handle = object> {
  /**
   * Opens a transaction of the library, hands it to `work`, and commits it or, when `work` throws, rolls it back and
   * throws the same error. It is what `ctx.transaction`, `ctx.once` and `ctx.walk` run in. It has no time limit of its
   * own: the server ends a session that is idle for longer than the task's time-out.
   */
  run<T>(work: (transaction: Handle) => Promise<T>): Promise<T>;
  /**
   * Runs Tickwheel's statements within a transaction. A statement is one text with the placeholders `$1`, `$2` …, some
   * of them several times. A parameter is a text, a number, a truth value, null, a Date, a Buffer, or a list of these.
   * It answers the rows, or `{ rows }`. It throws the driver's error, whose `code` is the SQLSTATE.
   *
   * Statements outside a transaction are refused by Tickwheel itself. It asks the server for that, if the answer is no
   * client of `pg`: one more round trip for each call.
   *
   * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: it is no transaction of this library
   */
  statements(transaction: Handle): CallerTransaction;
}
