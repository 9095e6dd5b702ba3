import { type Clock, type Telemetry, TickwheelError, wait } from "@tickwheel/core";
import type { DataSource, QueryRunner } from "typeorm";

const POLL_MS = 100;
const SAID_AFTER_MS = 5_000;
/** A process that waits longer than this gives up; the one that migrates goes on. */
const PATIENCE_MS = 3_600_000;
/**
 * The lock's transaction sends a statement this often. If the server hears nothing for a while, it takes the client for
 * gone and ends the transaction.
 */
const KEEP_ALIVE_MS = 10_000;
const IDLE_LIMIT = "SET LOCAL idle_in_transaction_session_timeout = 60000";

/**
 * Lets one process migrate a schema. It is an advisory lock of a transaction, not of a session, since through PgBouncer
 * a client has no session of its own. The transaction stays open on a separate connection; the work goes over other
 * connections.
 *
 * An index that is made CONCURRENTLY waits for every transaction that has a snapshot at that moment. So this
 * transaction never has one while it holds the lock: it is READ COMMITTED, queries without parameters (a portal would
 * keep the snapshot) and keeps itself alive by a SET. A process that waits for the lock begins a new transaction for
 * each try.
 */
export class MigrationLock {
  private readonly stopping = new AbortController();
  private keptAlive: Promise<void> = Promise.resolve();

  private constructor(
    private readonly runner: QueryRunner,
    private readonly clock: Clock,
  ) {}

  /** @param request.name a name that needs no quoting */
  static async take(
    dataSource: DataSource,
    request: { name: string; clock: Clock; telemetry: Telemetry },
  ): Promise<MigrationLock> {
    const lock = new MigrationLock(dataSource.createQueryRunner(), request.clock);
    try {
      await lock.untilMine(request);
    } catch (error) {
      await lock.release();
      throw error;
    }
    lock.keptAlive = lock.keepAlive();
    return lock;
  }

  async release(): Promise<void> {
    this.stopping.abort();
    await this.keptAlive;
    // The server may have ended the transaction with its connection.
    if (this.runner.isTransactionActive) await this.runner.rollbackTransaction().catch(() => undefined);
    await this.runner.release();
  }

  private async untilMine({ name, telemetry }: { name: string; telemetry: Telemetry }): Promise<void> {
    const startMonoMs = this.clock.monotonicMs();
    for (let isSaid = false; !(await this.attempt(name));) {
      const waitedMs = this.clock.monotonicMs() - startMonoMs;
      if (waitedMs > PATIENCE_MS) throw new TickwheelError("STORE_UNAVAILABLE", "Another process migrates for an hour");
      if (waitedMs > SAID_AFTER_MS && !isSaid) {
        const message = "Another process migrates the schema; this one waits for it";
        telemetry.emit({ name: "store.migrate.queued", level: "info", message });
        isSaid = true;
      }
      await wait(this.clock, POLL_MS);
    }
  }

  private async attempt(name: string): Promise<boolean> {
    await this.runner.startTransaction("READ COMMITTED");
    await this.runner.query(IDLE_LIMIT);
    const sql = `SELECT pg_try_advisory_xact_lock(hashtextextended('${name}', 0)) AS locked`;
    const [row] = (await this.runner.query(sql)) as { locked: boolean }[];
    if (row?.locked !== true) await this.runner.rollbackTransaction();
    return row?.locked === true;
  }

  private async keepAlive(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await wait(this.clock, KEEP_ALIVE_MS, this.stopping.signal);
      // If the lock is lost, the steps go on: each step can safely be made twice at the same time.
      if (!this.stopping.signal.aborted) await this.runner.query(IDLE_LIMIT).catch(() => this.stopping.abort());
    }
  }
}
