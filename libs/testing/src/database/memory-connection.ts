import { type CallerTransaction, type Clock, TickwheelError } from "@tickwheel/core";
import type { MemoryDatabase, StatementBody } from "./memory-database.js";
import { type MemoryTransaction, memoryTransaction } from "./memory-transaction.js";
import { StatementFailure } from "./statement-failure.js";
import type { StatementName } from "./statement-record.js";
import type { StatementOrigin } from "./statement-scope.js";

/** Where a statement is: `before` it reaches the database, or `after` it was applied but before its reply arrives. */
export interface StatementPoint {
  statement: StatementName;
  phase: "before" | "after";
  request: unknown;
}

/** The network between a node and its database. Each promise resolves when the message arrives. */
export interface Link {
  toDatabase(): Promise<void> | null;
  toNode(): Promise<void> | null;
}

export interface ConnectionOptions {
  link?: Link | undefined;
  /** The node's clock, for the node's own time-outs. Without it, the node waits for a reply as long as it takes. */
  clock?: Clock | undefined;
  /**
   * How long the node waits for a reply, in milliseconds. Then it gives the connection up and does not know what the
   * statement did. Default 2,000.
   */
  statementTimeoutMs?: number | undefined;
  /** How long a statement waits for another's lock before it gives way, milliseconds. Default 50. */
  lockTimeoutMs?: number | undefined;
  /**
   * The transaction that a call joins when it is given this one; null: none, and it is committed at once. Default: one
   * of this database, or an error.
   */
  joined?: ((within: CallerTransaction) => MemoryTransaction | null) | undefined;
  /** Called when a write goes to the slow lane because its rows are locked. */
  onSlowLane?: (() => void) | undefined;
}

/** A call of a port, for the log and for tests that inject faults. */
export interface Call {
  statement: StatementName;
  request: unknown;
  within?: CallerTransaction;
}

/** Runs statements: each in a transaction of its own, or all in one. */
export interface MemorySession {
  run<T>(statement: StatementBody<T>): Promise<T>;
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 2_000;
const DEFAULT_LOCK_TIMEOUT_MS = 50;
/** A write of several parts that meets locks in the slow lane is tried this often before it gives up. */
const PATIENT_ROUNDS = 20;
/** A write that met a locked row waits this long in the slow lane. */
const SLOW_LOCK_TIMEOUT_MS = 30_000;
/** The server ends a store's own transaction that hears nothing of its client for this long. */
const IDLE_IN_TRANSACTION_MS = 2_000;

/**
 * One node's connection to a {@link MemoryDatabase}, and the place where a test injects faults.
 *
 * A statement travels to the database, runs there even if the node dies meanwhile, and its reply travels back. Without
 * a link both ways take no time.
 *
 * @example Kill a node in mid-claim: the claim is applied, its reply never arrives.
 * connection.gate = ({ statement, phase }) => {
 *   if (statement === "claim" && phase === "after") connection.kill();
 * };
 */
export class MemoryConnection {
  /** Called before and after every call of this node. The call waits for a promise that it returns. */
  gate: ((point: StatementPoint) => void | Promise<void>) | null = null;
  readonly lockTimeoutMs: number;
  /** The name of its sessions: a node's boot id, once it has one. */
  sessionName: string;
  private readonly failures = new Map<StatementName, number>();
  private readonly lostReplies = new Map<StatementName, number>();
  private readonly transactions = new Set<MemoryTransaction>();
  private readonly slowLane = new Map<string, Promise<unknown>>();
  private connected = true;
  private killed = false;

  constructor(
    readonly database: MemoryDatabase,
    readonly node: string,
    private readonly options: ConnectionOptions = {},
  ) {
    this.lockTimeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    this.sessionName = node;
  }

  /** The next `times` of these calls never reach the database and throw `STORE_UNAVAILABLE`. */
  failNext(statement: StatementName, times = 1): void {
    this.failures.set(statement, times);
  }

  /** The next `times` of these calls are applied, but their sender gets `STORE_UNAVAILABLE`. */
  loseNextReply(statement: StatementName, times = 1): void {
    this.lostReplies.set(statement, times);
  }

  /** From now on no statement reaches the database: each throws `STORE_UNAVAILABLE`. */
  disconnect(): void {
    this.connected = false;
  }

  connect(): void {
    this.connected = true;
  }

  /**
   * Kills the node for good: nothing that it sends is applied, and nothing that it waits for arrives. Statements that
   * have reached the database run on there; the node's open transactions are ended.
   */
  kill(): void {
    this.killed = true;
    const there = this.options.link?.toDatabase() ?? Promise.resolve();
    void there.then(() => {
      for (const transaction of this.transactions) this.database.hangUp(transaction);
      this.database.endSession(this);
    });
  }

  /** For the stores: runs a call of the port, which is one or more statements. */
  async call<T>({ statement, request, within }: Call, work: (session: CallSession) => Promise<T>): Promise<T> {
    // Even without a gate the call leaves the node a step later, so a node that is cut off in this step does not send
    // it.
    await this.pass({ statement, phase: "before", request });
    if (!this.connected || countDown(this.failures, statement)) throw unavailable(`${statement} was not sent`);
    const transaction = within === undefined ? null : (this.options.joined ?? memoryTransaction)(within);
    transaction?.requireOpen();
    const origin = { node: this.node, statement, request };
    let reply: T;
    try {
      reply = await work(new CallSession(this, origin, transaction));
    } catch (error) {
      throw error instanceof StatementFailure ? unavailable(`${statement}: ${error.message}`, error) : error;
    }
    if (this.isWatched) await this.pass({ statement, phase: "after", request });
    if (countDown(this.lostReplies, statement)) throw unavailable(`The reply to ${statement} was lost`);
    return reply;
  }

  /**
   * Runs `work` in a transaction of this node's application. It is committed when `work` resolves, and rolled back when
   * `work` throws.
   */
  async transaction<T>(work: (within: MemoryTransaction) => Promise<T>): Promise<T> {
    const transaction = this.database.begin(this.sessionName);
    return this.inTransaction(transaction, () => work(transaction));
  }

  /** For sessions: runs `work` in a transaction of the store's own. */
  async ownTransaction<T>(
    lockTimeoutMs: number | null,
    work: (transaction: MemoryTransaction) => Promise<T>,
  ): Promise<T> {
    const limits = { lockTimeoutMs, idleTimeoutMs: IDLE_IN_TRANSACTION_MS };
    const transaction = this.database.begin(this.sessionName, limits);
    return this.inTransaction(transaction, () => work(transaction));
  }

  /** For sessions: runs the writes of each name one after the other, with a long wait for locks. */
  async inSlowLane<T>(name: string, work: (lockTimeoutMs: number) => Promise<T>): Promise<T> {
    this.options.onSlowLane?.();
    const before = this.slowLane.get(name) ?? Promise.resolve();
    const result = before.then(() => work(SLOW_LOCK_TIMEOUT_MS));
    const after = result.catch(() => undefined);
    this.slowLane.set(name, after);
    try {
      return await result;
    } finally {
      if (this.slowLane.get(name) === after) this.slowLane.delete(name);
    }
  }

  /** Sends `work` to the database and its result back. @throws TickwheelError `STORE_UNAVAILABLE` */
  roundTrip<T>(work: () => Promise<T>, extraMs = 0): Promise<T> {
    const { clock, statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS } = this.options;
    if (!clock) return this.thereAndBack(work);
    return new Promise<T>((resolve, reject) => {
      const limitMs = statementTimeoutMs + extraMs;
      const timer = clock.setTimer(limitMs, () => {
        this.giveUpSession();
        reject(unavailable("no reply in time"));
      });
      const answered =
        <Answer>(settle: (answer: Answer) => void) =>
        (answer: Answer): void => {
          timer.clear();
          settle(answer);
        };
      this.thereAndBack(work).then(answered(resolve), answered(reject));
    });
  }

  /** A call without a reply takes its connection with it; the database hears so, if it hears anything. */
  private giveUpSession(): void {
    void (this.options.link?.toDatabase() ?? Promise.resolve()).then(() => this.database.endSession(this));
  }

  private async thereAndBack<T>(work: () => Promise<T>): Promise<T> {
    const { link } = this.options;
    const there = link?.toDatabase();
    if (there) await there;
    if (this.killed) await never();
    try {
      if (!this.database.isUp) throw new StatementFailure("terminated");
      return await work();
    } finally {
      const back = link?.toNode();
      if (back) await back;
      if (this.killed) await never();
    }
  }

  private async inTransaction<T>(transaction: MemoryTransaction, work: () => Promise<T>): Promise<T> {
    this.transactions.add(transaction);
    try {
      const result = await work();
      await this.roundTrip(() => this.database.commit(transaction));
      return result;
    } catch (error) {
      const rollBack = (): Promise<void> => Promise.resolve(this.database.hangUp(transaction));
      await this.roundTrip(rollBack).catch(() => undefined);
      throw error;
    } finally {
      this.transactions.delete(transaction);
    }
  }

  /** Whether a call must stop after it was applied, for a gate or because the node is dead. */
  private get isWatched(): boolean {
    return this.killed || this.gate !== null;
  }

  private async pass(point: StatementPoint): Promise<void> {
    if (!this.killed) await this.gate?.(point);
    if (this.killed) await never();
  }
}

/** The statements of one call: each in a transaction of its own, or all in the caller's. */
export class CallSession implements MemorySession {
  constructor(
    private readonly connection: MemoryConnection,
    private readonly origin: StatementOrigin,
    /** The caller's transaction, if there is one. */
    private readonly within: MemoryTransaction | null,
  ) {}

  /** How long a hot statement waits for another's lock. */
  get lockTimeoutMs(): number {
    return this.connection.lockTimeoutMs;
  }

  /**
   * @param lockTimeoutMs how long the statement waits for another's lock if it runs in its own transaction; default for
   *   ever
   */
  run<T>(statement: StatementBody<T>, lockTimeoutMs: number | null = null): Promise<T> {
    if (this.within) return this.runIn(this.within, statement);
    const { database, sessionName } = this.connection;
    return this.connection.roundTrip(async () => {
      const transaction = database.begin(sessionName, { lockTimeoutMs });
      try {
        const reply = await database.execute(this.origin, statement, transaction);
        await database.commit(transaction);
        return reply;
      } catch (error) {
        database.end(transaction);
        throw error;
      }
    }, lockTimeoutMs ?? 0);
  }

  /** Runs all statements of `work` in one transaction: the caller's, or one of the store's own. */
  transaction<T>(lockTimeoutMs: number | null, work: (session: MemorySession) => Promise<T>): Promise<T> {
    if (this.within) return work(this);
    return this.connection.ownTransaction(lockTimeoutMs, (transaction) =>
      work({ run: (statement) => this.runIn(transaction, statement) }),
    );
  }

  /**
   * Runs a write that may meet rows which a caller's transaction holds. It is tried with a short wait, and then under
   * its name in the slow lane.
   * @param probes for a write that locks several rows: one function per row, which waits for that row alone and changes
   *   nothing
   */
  async patiently<T>(
    name: string,
    attempt: (lockTimeoutMs: number | null) => Promise<T>,
    probes: readonly ((lockTimeoutMs: number) => Promise<unknown>)[] = [],
  ): Promise<T> {
    if (this.within) return attempt(null);
    try {
      return await attempt(this.lockTimeoutMs);
    } catch (error) {
      if (!(error instanceof StatementFailure && error.isLockConflict)) throw error;
      return this.connection.inSlowLane(name, (lockTimeoutMs) => this.inRounds(attempt, probes, lockTimeoutMs));
    }
  }

  private async inRounds<T>(
    attempt: (lockTimeoutMs: number) => Promise<T>,
    probes: readonly ((lockTimeoutMs: number) => Promise<unknown>)[],
    lockTimeoutMs: number,
  ): Promise<T> {
    if (probes.length <= 1) return attempt(lockTimeoutMs);
    for (let round = 1; ; round++) {
      for (const probe of probes) await probe(lockTimeoutMs);
      try {
        return await attempt(this.lockTimeoutMs);
      } catch (error) {
        const isHeld = error instanceof StatementFailure && error.isLockConflict;
        if (!isHeld || round >= PATIENT_ROUNDS) throw error;
      }
    }
  }

  private runIn<T>(transaction: MemoryTransaction, statement: StatementBody<T>): Promise<T> {
    return this.connection.roundTrip(
      () => this.connection.database.execute(this.origin, statement, transaction),
      transaction.limits.lockTimeoutMs ?? 0,
    );
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function countDown(counts: Map<StatementName, number>, statement: StatementName): boolean {
  const left = counts.get(statement) ?? 0;
  if (left > 0) counts.set(statement, left - 1);
  return left > 0;
}

function unavailable(message: string, cause?: unknown): TickwheelError {
  return new TickwheelError("STORE_UNAVAILABLE", message, { cause });
}
