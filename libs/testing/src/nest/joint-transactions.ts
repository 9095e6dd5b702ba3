import { type CallerTransaction, endedByHand, TickwheelError } from "@tickwheel/core";
import type { TransactionAdapter } from "@tickwheel/nestjs";
import type { MemoryDatabase } from "../database/memory-database.js";
import { joinMemoryTransaction, type MemoryTransaction } from "../database/memory-transaction.js";

/** How a test's application opens a transaction of its own database. */
export type OpenTransaction = TransactionAdapter["run"];

/** The part of an EntityManager, or of its QueryRunner, that tells of its transaction. */
interface TypeormHandle {
  queryRunner?: QueryRunnerLike;
}
interface QueryRunnerLike {
  isTransactionActive: boolean;
  commitTransaction: () => Promise<void>;
  rollbackTransaction: () => Promise<void>;
}

/**
 * Transactions of a node in memory, together with those of the application's database: both commit, or both are rolled
 * back. In production they are one.
 */
export class JointTransactions implements TransactionAdapter {
  private readonly ofRunners = new WeakMap<QueryRunnerLike, MemoryTransaction>();

  /**
   * @param open the application's own transactions, where it has a database
   * @param manager what handlers get in its place, where there is none
   */
  constructor(
    private readonly database: MemoryDatabase,
    private readonly open: OpenTransaction | null,
    private readonly manager: object,
  ) {}

  /** What handlers' transactions run on. */
  run<T>(work: (handle: object) => Promise<T>): Promise<T> {
    return this.database.transaction((transaction) => {
      // A derived one: two handlers at once have one each.
      if (this.open === null) return work(this.joined(Object.create(this.manager) as object, transaction));
      return this.open(async (handle) => {
        const value = await work(this.joined(handle, transaction));
        requireOpen(handle);
        return value;
      });
    });
  }

  /** No statement runs in memory: what a caller gives says which transaction is meant, see {@link find}. */
  statements(handle: object): CallerTransaction {
    return handle as CallerTransaction;
  }

  /**
   * The transaction of ours that belongs to what a caller gave as `manager`; null: it has none, and each call is
   * committed at once. A manager of TypeORM with an open transaction gets one, which ends with it.
   *
   * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: it is a manager of TypeORM whose transaction is over, or has not
   *   begun, which Postgres' store refuses, too
   */
  find(within: object): MemoryTransaction | null {
    const runner = runnerOf(within);
    if (!runner) return null;
    if (!runner.isTransactionActive)
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "The given `manager` has no open transaction: call within one, or leave `manager` out",
      );
    const known = this.ofRunners.get(runner);
    if (known?.isOpen) return known;
    const transaction = this.database.begin("caller");
    this.ofRunners.set(runner, transaction);
    this.endWith(runner, transaction);
    return transaction;
  }

  private joined(manager: object, transaction: MemoryTransaction): object {
    joinMemoryTransaction(manager, transaction);
    const runner = runnerOf(manager);
    if (runner) this.ofRunners.set(runner, transaction);
    return manager;
  }

  private endWith(runner: QueryRunnerLike, transaction: MemoryTransaction): void {
    const { commitTransaction, rollbackTransaction } = runner;
    const restore = (): void => void Object.assign(runner, { commitTransaction, rollbackTransaction });
    runner.commitTransaction = async () => {
      await commitTransaction.call(runner);
      // The commit of a savepoint is none.
      if (runner.isTransactionActive) return;
      restore();
      await this.database.commit(transaction);
    };
    runner.rollbackTransaction = async () => {
      await rollbackTransaction.call(runner);
      if (runner.isTransactionActive) return;
      restore();
      this.database.end(transaction);
    };
  }
}

/** @throws TickwheelError `TRANSACTION_UNAVAILABLE`: the handler has ended the transaction by hand, as on Postgres */
function requireOpen(handle: object): void {
  if (runnerOf(handle)?.isTransactionActive !== false) return;
  throw endedByHand();
}

function runnerOf(within: object): QueryRunnerLike | undefined {
  if ("isTransactionActive" in within) return within as QueryRunnerLike;
  return "queryRunner" in within ? (within as TypeormHandle).queryRunner : undefined;
}

/** What a handler gets for a manager where the test named none: whatever it asks of it says so. */
export function noManager(cure: string): CallerTransaction {
  const refuse = (name: PropertyKey): never => {
    throw new TickwheelError(
      "UNSUPPORTED",
      `This test has no database, so a handler's manager has no "${String(name)}": give one (a fake, or a real one's) by DelayTaskTestingModule.forRoot({ manager }), or ${cure}`,
    );
  };
  // A promise that answers it looks for `then`.
  return new Proxy({} as CallerTransaction, {
    get: (_, name) => (name === "then" || typeof name === "symbol" ? undefined : refuse(name)),
    has: () => false,
  });
}
