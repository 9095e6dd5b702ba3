import { MAX_TIMER_MS, TickwheelError } from "@tickwheel/core";
import { foreignHandle, hasMethod } from "./foreign-handle.js";
import { parameterText } from "./parameter-text.js";
import type { TransactionAdapter } from "./transaction-adapter.js";

/** A transaction of Prisma, as far as it is used here. */
export interface PrismaTransaction {
  $queryRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<unknown>;
}

/** Prisma's client, as far as it is used here. */
export interface PrismaDatabase<Handle> {
  $transaction<T>(work: (transaction: Handle) => Promise<T>, limits: { timeout: number }): Promise<T>;
}

/**
 * The transactions of Prisma on `@prisma/adapter-pg`. `manager` takes its `tx`, and `ctx.transaction` gives one:
 * `DelayTaskContext<Prisma.TransactionClient>`.
 *
 * Prisma's own limit of a transaction, 5 s, is not used for a handler's: the task's time-out is its limit.
 *
 * @param client of the database that `url` names
 * @example DelayTaskModule.forRoot({ url, transactions: prismaTransactions(prisma) })
 */
export function prismaTransactions<Handle extends PrismaTransaction>(
  client: PrismaDatabase<Handle>,
): TransactionAdapter<Handle> {
  return {
    run: (work) => client.$transaction(work, { timeout: MAX_TIMER_MS }),
    statements: (transaction) => {
      if (!hasMethod(transaction, "$queryRawUnsafe"))
        throw foreignHandle(
          "is no transaction of Prisma",
          "the `tx` that prisma.$transaction(async (tx) => …) hands on",
        );
      return {
        query: async (sql, parameters = []) => {
          try {
            return await transaction.$queryRawUnsafe(sql, ...parameters.map(parameterText));
          } catch (error) {
            throw driverError(error);
          }
        },
      };
    },
  };
}

/** Prisma's code for a transaction that is over, by its limit or by its end. */
const TRANSACTION_IS_OVER = "P2028";
/** Kinds of errors of Prisma's driver that no server answered. */
const OF_CONNECTION: ReadonlySet<unknown> = new Set(["ConnectionClosed", "SocketTimeout", "DatabaseNotReachable"]);

/** What Prisma tells of the driver's error. */
interface DriverCause {
  kind?: string;
  originalCode?: string;
  originalMessage?: string;
  constraint?: { index?: string };
  table?: string;
}

/** The error as the driver would throw it, with the SQLSTATE as its code. Prisma's own codes look like one. */
function driverError(error: unknown): unknown {
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: { cause?: DriverCause } } };
  if (code === TRANSACTION_IS_OVER)
    return new TickwheelError(
      "TRANSACTION_UNAVAILABLE",
      "The given `manager` is a transaction of Prisma that is over: call within it, or give it a longer `timeout`.",
      { cause: error },
    );
  const { kind, originalCode, originalMessage, constraint, table } =
    meta?.driverAdapterError?.cause ?? (error as { cause?: DriverCause }).cause ?? {};
  if (originalCode !== undefined)
    return Object.assign(new Error(originalMessage), { code: originalCode, constraint: constraint?.index, table });
  if (OF_CONNECTION.has(kind)) return Object.assign(new Error(kind), { code: "ECONNRESET" });
  return Object.assign(new Error("Prisma did not run a statement", { cause: error }), { code: undefined });
}
