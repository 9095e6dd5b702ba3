import { type CallerTransaction, type Clock, type EpochMs, type TaskType, TickwheelError } from "@tickwheel/core";
import { ClusterTables } from "./cluster-tables.js";
import { Draft, type LockHolder, type Locks, RowLocked, TABLE_NAMES, type TableRows } from "./draft.js";
import { MemoryConnection } from "./memory-connection.js";
import { MemoryTransaction } from "./memory-transaction.js";
import type { AppliedStatement, StatementRecord, TaskChange } from "./statement-record.js";
import type { StatementOrigin, StatementScope } from "./statement-scope.js";

/** 2026-01-01T00:00:00Z. */
const DEFAULT_EPOCH_MS = 1_767_225_600_000;

export interface MemoryDatabaseOptions {
  /** What moves the database's clock. */
  clock: Clock;
  /** The database's time when `clock` reads 0; default 2026-01-01T00:00:00Z. */
  epochMs?: EpochMs;
}

/**
 * The database that the nodes of a simulation have in common: tasks, journal, history, idempotency keys, types and the cluster's tables,
 * in memory.
 *
 * Each statement is atomic and sees all that was committed before it, so a race is an order of whole statements. Rows that an open
 * {@link MemoryTransaction} touched are locked. Its clock is the given one plus a base epoch, in whole milliseconds. Reads of due rows
 * walk over all tasks: made for thousands, not millions. `log` keeps every committed change and only grows.
 *
 * @example
 * const database = new MemoryDatabase({ clock: new ManualClock() });
 * const node = database.connect("node-1");
 * const tasks = new MemoryTaskStore(node), cluster = new MemoryClusterStore(node);
 */
export class MemoryDatabase {
  /** Every committed statement that changed tasks, oldest first. See `rowChangesOf`. */
  readonly log: StatementRecord[] = [];
  readonly types = new Map<number, TaskType>();
  readonly cluster = new ClusterTables();
  /** Which history this is: a test raises it to say that a standby was promoted. */
  timeline = 1;
  private readonly tables: { [Name in keyof TableRows]: Map<string, TableRows[Name]> } = {
    tasks: new Map(),
    history: new Map(),
    journals: new Map(),
    keys: new Map(),
    idempotency: new Map(),
  };
  private readonly locks: Locks = new Map();
  private readonly epochMs: EpochMs;

  constructor(private readonly options: MemoryDatabaseOptions) {
    this.epochMs = options.epochMs ?? DEFAULT_EPOCH_MS;
  }

  /** The database's clock. */
  now(): EpochMs {
    return this.epochMs + Math.floor(this.options.clock.monotonicMs());
  }

  /** A connection of its own for each node, so that faults can strike one of them. */
  connect(node: string): MemoryConnection {
    return new MemoryConnection(this, node);
  }

  /** Runs `work` in a transaction: committed when it resolves, rolled back when it throws. */
  async transaction<T>(work: (within: MemoryTransaction) => Promise<T>): Promise<T> {
    const transaction = new MemoryTransaction((holder) => new Draft(this.tables, this.locks, holder));
    let committed = false;
    try {
      const result = await work(transaction);
      this.commit(transaction.draft, transaction.records);
      committed = true;
      return result;
    } finally {
      for (const [name, holder] of this.locks) if (holder === transaction) this.locks.delete(name);
      transaction.close(committed);
    }
  }

  /** Runs one statement, after the transactions whose locks it meets. */
  async execute<T>(
    origin: StatementOrigin,
    statement: (scope: StatementScope) => T,
    within?: CallerTransaction,
  ): Promise<T> {
    const transaction = within === undefined ? null : requireMemoryTransaction(within);
    for (;;) {
      transaction?.requireOpen();
      try {
        return this.attempt(origin, statement, transaction);
      } catch (error) {
        if (!(error instanceof RowLocked)) throw error;
        await waitFor(error.by, transaction);
      }
    }
  }

  private attempt<T>(
    origin: StatementOrigin,
    statement: (scope: StatementScope) => T,
    transaction: MemoryTransaction | null,
  ): T {
    const draft = new Draft(transaction?.draft ?? this.tables, this.locks, transaction);
    const now = this.now();
    const label = (owner: string | null): string | null => (owner && this.cluster.nodes.get(owner)?.label) ?? null;
    const result = statement({ draft, now, label, types: this.types, cluster: this.cluster, timeline: this.timeline });
    const record = { ...origin, at: now, changes: changesOf(draft) };
    if (transaction) {
      transaction.draft.absorb(draft);
      for (const name of draft.lockNames()) this.locks.set(name, transaction);
      transaction.records.push(record);
    } else {
      this.commit(draft, [record]);
    }
    return result;
  }

  private commit(draft: Draft, effects: readonly AppliedStatement[]): void {
    const changing = effects.filter(({ changes }) => changes.length > 0);
    const commit = (this.log.at(-1)?.commit ?? 0) + 1;
    const committed = { commit, committedAt: this.now(), committedMonoMs: this.options.clock.monotonicMs() };
    for (const effect of changing) this.log.push({ ...effect, ...committed });
    for (const name of TABLE_NAMES) {
      const rows = this.tables[name] as Map<string, unknown>;
      for (const [key, row] of draft[name].changes) {
        if (row === undefined) rows.delete(key);
        else rows.set(key, row);
      }
    }
  }
}

function requireMemoryTransaction(within: CallerTransaction): MemoryTransaction {
  if (within instanceof MemoryTransaction) return within;
  throw new TickwheelError("TRANSACTION_UNAVAILABLE", "The memory store joins only its own database's transactions");
}

/** @throws TickwheelError `STORE_UNAVAILABLE` where both would wait for each other */
async function waitFor(holder: LockHolder, waiting: MemoryTransaction | null): Promise<void> {
  if (waiting === null) return holder.ended;
  for (let next: LockHolder | null = holder; next !== null; next = next.waitingFor) {
    if (next === waiting) throw new TickwheelError("STORE_UNAVAILABLE", "Two transactions wait for each other");
  }
  waiting.waitingFor = holder;
  await holder.ended;
  waiting.waitingFor = null;
}

function changesOf(draft: Draft): TaskChange[] {
  const ids = new Set([...draft.tasks.changes.keys(), ...draft.history.changes.keys()]);
  return [...ids].flatMap((id) => {
    const before = draft.tasks.below.get(id) ?? draft.history.below.get(id) ?? null;
    const after = draft.tasks.get(id) ?? draft.history.get(id) ?? null;
    return before === after ? [] : [{ before, after }];
  });
}
