import { type BootId, type Clock, type EpochMs, type ExecutionRef, type NodeSession, wait } from "@tickwheel/core";
import { ClusterTables } from "./cluster-tables.js";
import { MemoryConnection, type ConnectionOptions } from "./memory-connection.js";
import { MemoryTransaction, type TransactionLimits } from "./memory-transaction.js";
import { StatementFailure } from "./statement-failure.js";
import type { Commit, StatementName, StatementRecord } from "./statement-record.js";
import { type StatementHost, type StatementOrigin, StatementScope } from "./statement-scope.js";
import { emptyTables, ONLY_ROW, type Table, TABLE_NAMES, type TableName, type Tables } from "./tables.js";

/** The calls that change or delete rows of tasks. */
const CHANGES_TASKS: ReadonlySet<StatementName> = new Set<StatementName>([
  ...(["create", "cancel", "edit", "retry", "claim", "settle", "completeWithin", "release", "defer", "reap"] as const),
  ...([
    "cancelScheduled",
    "expire",
    "archive",
    "forgetEnded",
    "maintain",
    "settings.resumeEndedKeys",
    "limits.claimLimited",
    "leases.pull",
    "leases.endLeases",
  ] as const),
]);

/** 2026-01-01T00:00:00Z. */
const DEFAULT_EPOCH_MS = 1_767_225_600_000;

export interface MemoryDatabaseOptions {
  /** Moves the database's clock and its time-outs. */
  clock: Clock;
  /** The database's time when `clock` reads 0; default 2026-01-01T00:00:00Z. */
  epochMs?: EpochMs | undefined;
  /**
   * How long a statement pauses before it begins, before it locks a row and before it commits, in milliseconds.
   * Default: no pause.
   */
  pauseMs?: (() => number) | undefined;
  /** Whether all versions of all rows are kept; `promote` needs them. Default false. */
  keepsVersions?: boolean | undefined;
}

/** A store's statement, as a function that the database runs. */
export type StatementBody<T> = (scope: StatementScope) => Promise<T> | T;

/**
 * The database that the nodes of a simulation share: tasks, journal, history, idempotency keys, types and the cluster's
 * tables, in memory. It does what Postgres does under READ COMMITTED: see {@link StatementScope}. The conformance suite
 * checks that it behaves as the real one.
 *
 * Its clock is the given one plus a base epoch, in whole milliseconds, and can be stepped. Reads of due rows walk over
 * all tasks, so it is made for thousands of tasks, not millions. `log` keeps every committed change and only grows.
 *
 * @example
 * const database = new MemoryDatabase({ clock: new ManualClock() });
 * const node = database.connect("node-1");
 * const tasks = new MemoryTaskStore(node), cluster = new MemoryClusterStore(node);
 */
export class MemoryDatabase implements StatementHost {
  /** Every committed statement that changed tasks, oldest first. See `rowChangesOf`. */
  readonly log: StatementRecord[] = [];
  readonly tables: Tables = emptyTables();
  /** The cluster's tables as they are now. */
  readonly cluster = new ClusterTables(this.tables, (work) => this.writeDirectly(work));
  /** Called at every commit that wrote or locked anything, with the statements that changed tasks or nodes. */
  onCommit: ((commit: Commit) => void) | null = null;
  /** The number of the database's timeline: a test raises it to say that a standby was promoted. */
  timeline = 1;
  /** Number of the newest commit. */
  commits = 0;
  private readonly open = new Set<MemoryTransaction>();
  private readonly gates = new Map<string, Promise<void>>();
  private nextStatement: Promise<void> | null = null;
  private atGates = 0;
  private readonly nodeLocks = new Map<BootId, object>();
  private starts = 1;
  private epochMs: EpochMs;
  private up = true;

  constructor(private readonly options: MemoryDatabaseOptions) {
    this.epochMs = options.epochMs ?? DEFAULT_EPOCH_MS;
    this.writeDirectly((scope) => {
      scope.terms.put(ONLY_ROW, { term: 0, holder: null, beat: 0 });
      scope.views.put(ONLY_ROW, null);
      scope.quarantines.put(ONLY_ROW, null);
      scope.revisions.put(ONLY_ROW, { timeline: 1, number: 0 });
    });
  }

  /** The database's clock. */
  now(): EpochMs {
    return Math.floor(this.epochMs + this.options.clock.monotonicMs());
  }

  /** Sets the database's clock ahead, or back. */
  stepClock(byMs: number): void {
    this.epochMs += byMs;
  }

  /** Makes a connection for one node, so that a fault can strike this node alone. */
  connect(node: string, options: ConnectionOptions = {}): MemoryConnection {
    return new MemoryConnection(this, node, options);
  }

  get isUp(): boolean {
    return this.up;
  }

  /** Stops the database at once: all uncommitted writes are lost, and every session is ended. */
  stop(): void {
    this.up = false;
    this.nodeLocks.clear();
    for (const transaction of this.open) this.end(transaction);
  }

  start(): void {
    this.up = true;
    this.starts++;
  }

  /**
   * A standby takes over. It has all commits up to `keptCommit`; later ones are lost.
   *
   * @throws RangeError unless the database keeps all versions
   */
  promote(keptCommit: number): void {
    if (!this.options.keepsVersions)
      throw new RangeError("A database that does not keep its versions cannot forget commits");
    this.stop();
    for (const name of TABLE_NAMES) {
      for (const chain of (this.tables[name] as Table<unknown>).values()) chain.forgetAfter(keptCommit);
    }
    this.timeline++;
    this.start();
  }

  /** Ends the sessions of this name, even those with a statement at work. */
  terminate(session: string): void {
    this.nodeLocks.delete(session);
    for (const transaction of this.open) if (transaction.session === session) this.end(transaction);
  }

  takeNodeLock(bootId: BootId, holder: object): void {
    if (!this.nodeLocks.has(bootId)) this.nodeLocks.set(bootId, holder);
  }

  nodeSession(bootId: BootId): NodeSession {
    return { isHeld: this.nodeLocks.has(bootId), server: String(this.starts) };
  }

  /** The server ends the session that holds a node's lock. */
  endNodeSession(bootId: BootId): void {
    this.nodeLocks.delete(bootId);
  }

  /** The session of a connection ends: its client has closed it, or is gone. */
  endSession(holder: object): void {
    for (const [bootId, held] of this.nodeLocks) if (held === holder) this.nodeLocks.delete(bootId);
  }

  /** Ends the handlers' own transactions for whose execution `isMeant` is true. */
  endHandlers(isMeant: (execution: ExecutionRef) => boolean): void {
    for (const transaction of this.open) {
      if (transaction.handlerOf !== null && isMeant(transaction.handlerOf)) this.end(transaction);
    }
  }

  /** The handlers whose transactions hold locks that somebody waits for. */
  blockingHandlers(): ExecutionRef[] {
    return [...this.open].flatMap(({ waitingFor }) => waitingFor?.handlerOf ?? []);
  }

  /** How many statements wait, for another transaction's lock or at a gate. */
  get waiting(): number {
    let count = this.atGates;
    for (const { waitingFor } of this.open) if (waitingFor) count++;
    return count;
  }

  /**
   * From now on, statements stop before they change this row and keep their locks, until the returned function is
   * called.
   */
  holdWrites(table: TableName, key: string): () => void {
    const name = `${table}/${key}`;
    const gate = newGate();
    this.gates.set(name, gate.opened);
    return () => {
      this.gates.delete(name);
      gate.open();
    };
  }

  /**
   * The next statement of a call that changes tasks stops right after it has taken its snapshot, until the returned
   * function is called.
   */
  holdNextStatement(): () => void {
    const gate = newGate();
    this.nextStatement = gate.opened;
    return () => {
      if (this.nextStatement === gate.opened) this.nextStatement = null;
      gate.open();
    };
  }

  async passGate(table: TableName, key: string): Promise<void> {
    const gate = this.gates.get(`${table}/${key}`);
    if (gate) await this.waitAt(gate);
  }

  pause(): Promise<void> | null {
    const delayMs = this.options.pauseMs?.() ?? 0;
    return delayMs > 0 ? wait(this.options.clock, delayMs) : null;
  }

  /**
   * Runs `work` in a caller's transaction. It is committed when `work` resolves, and rolled back when `work` throws.
   */
  async transaction<T>(work: (within: MemoryTransaction) => Promise<T>): Promise<T> {
    const transaction = this.begin("caller");
    try {
      const result = await work(transaction);
      await this.commit(transaction);
      return result;
    } catch (error) {
      this.end(transaction);
      throw error;
    }
  }

  begin(session: string, limits: TransactionLimits = {}): MemoryTransaction {
    const transaction = new MemoryTransaction(session, limits);
    this.open.add(transaction);
    return transaction;
  }

  /** Commits an open transaction. @throws StatementFailure `terminated` */
  async commit(transaction: MemoryTransaction): Promise<void> {
    transaction.requireOpen();
    const pause = this.pause();
    if (pause) {
      await pause;
      transaction.requireOpen();
    }
    this.commitNow(transaction);
  }

  /** The transaction's client has gone: it is rolled back, but only once its statement has ended. */
  hangUp(transaction: MemoryTransaction): void {
    transaction.isAbandoned = true;
    if (!transaction.isBusy) this.end(transaction);
  }

  /** Rolls the transaction back. Does nothing if it is over already. */
  end(transaction: MemoryTransaction): void {
    if (!transaction.isOpen) return;
    this.open.delete(transaction);
    for (const row of transaction.held) {
      row.undo(transaction);
      row.locks.delete(transaction);
    }
    transaction.close(new StatementFailure("terminated"));
  }

  /**
   * Runs one statement in an open transaction. A statement that fails has changed nothing, and the transaction goes on.
   */
  async execute<T>(origin: StatementOrigin, statement: StatementBody<T>, within: MemoryTransaction): Promise<T> {
    within.requireOpen();
    within.idleTimer?.clear();
    within.command++;
    within.isBusy = true;
    try {
      const pause = this.pause();
      if (pause) await pause;
      within.requireOpen();
      const scope = new StatementScope(this, within, { commit: this.commits, by: within, command: within.command });
      const gate = this.firstGate(origin.statement);
      if (gate) await this.waitAt(gate);
      within.requireOpen();
      const result = await statement(scope);
      within.requireOpen();
      const changes = scope.changes();
      const nodeChanges = scope.nodeChanges;
      if (changes.length + nodeChanges.length > 0) {
        within.records.push({ ...origin, at: this.now(), changes, nodeChanges });
      }
      return result;
    } catch (error) {
      if (within.isOpen) for (const row of within.held) row.undo(within, within.command);
      throw error;
    } finally {
      within.isBusy = false;
      if (within.isAbandoned) this.end(within);
      else this.limitIdleness(within);
    }
  }

  async waitFor(holder: MemoryTransaction, waiting: MemoryTransaction): Promise<void> {
    for (let next: MemoryTransaction | null = holder; next !== null; next = next.waitingFor) {
      if (next === waiting) throw new StatementFailure("deadlock");
    }
    waiting.waitingFor = holder;
    const timeOut = new AbortController();
    const limitMs = waiting.limits.lockTimeoutMs ?? null;
    const late = limitMs === null ? null : wait(this.options.clock, limitMs, timeOut.signal);
    const end = await Promise.race([
      Promise.race([holder.ended, waiting.ended]).then(() => "ended" as const),
      ...(late ? [late.then(() => "late" as const)] : []),
    ]);
    timeOut.abort();
    waiting.waitingFor = null;
    waiting.requireOpen();
    if (end === "late") throw new StatementFailure("lock-timeout");
  }

  private firstGate(statement: StatementName): Promise<void> | null {
    const gate = this.nextStatement;
    if (!gate || !CHANGES_TASKS.has(statement)) return null;
    this.nextStatement = null;
    return gate;
  }

  private async waitAt(gate: Promise<void>): Promise<void> {
    this.atGates++;
    await gate;
    this.atGates--;
  }

  private commitNow(transaction: MemoryTransaction): void {
    this.open.delete(transaction);
    if (transaction.leavesTraces) this.keep(transaction);
    transaction.close("committed");
    transaction.runEffects(this.commits);
  }

  /** Makes the transaction's writes permanent and frees its locks. */
  private keep(transaction: MemoryTransaction): void {
    const commit = (this.commits += 1);
    const monoMs = this.options.clock.monotonicMs();
    for (const row of transaction.held) row.commit(transaction, commit);
    if (!this.options.keepsVersions && this.open.size === 0) for (const row of transaction.held) row.prune();
    const committed = { commit, committedAt: this.now(), committedMonoMs: monoMs };
    const records = transaction.records.map((applied): StatementRecord => ({ ...applied, ...committed }));
    for (const record of records) if (record.changes.length > 0) this.log.push(record);
    this.onCommit?.({ commit, monoMs, records });
  }

  private limitIdleness(transaction: MemoryTransaction): void {
    const { idleTimeoutMs } = transaction.limits;
    if (!transaction.isOpen || idleTimeoutMs === undefined) return;
    transaction.idleTimer = this.options.clock.setTimer(idleTimeoutMs, () => this.end(transaction));
  }

  /** Writes directly, in one step: without a connection, and without an entry in the log. */
  writeDirectly(work: (scope: StatementScope) => void): void {
    const transaction = this.begin("direct");
    work(new StatementScope(this, transaction, { commit: this.commits, by: transaction, command: 1 }));
    this.commitNow(transaction);
  }
}

function newGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
