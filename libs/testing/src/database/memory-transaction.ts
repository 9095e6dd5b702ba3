import { type CallerTransaction, type ClockTimer, type ExecutionRef, TickwheelError } from "@tickwheel/core";
import { StatementFailure } from "./statement-failure.js";
import type { AppliedStatement } from "./statement-record.js";
import type { VersionedRow } from "./versioned-row.js";

/** Milliseconds. */
export interface TransactionLimits {
  /** How long its statements wait for another's lock; null or absent: for ever. */
  lockTimeoutMs?: number | null;
  /** How long it may do nothing before the server ends it; absent: for ever. */
  idleTimeoutMs?: number;
}

/**
 * A transaction over a {@link MemoryDatabase}: a store's own, or a caller's, which `MemoryDatabase.transaction` passes
 * to its work. Nobody else sees its writes until it commits, and the rows that it touched are locked until then. It
 * knows no SQL: `query` throws.
 */
export class MemoryTransaction implements CallerTransaction {
  /** The changes of its statements, for the database's log at the commit. */
  readonly records: AppliedStatement[] = [];
  /** Rows that it has locked or written. */
  readonly held: VersionedRow<unknown>[] = [];
  /** The transaction whose lock a statement of this one waits for. */
  waitingFor: MemoryTransaction | null = null;
  /** The execution whose handler's own transaction this is, if it is one. */
  handlerOf: ExecutionRef | null = null;
  /** Called for each task whose row the transaction locks or writes. */
  onTaskHeld: ((taskId: string) => void) | null = null;
  /** How many of its statements have begun. */
  command = 0;
  /** Whether a statement is at work; otherwise the transaction is idle. */
  isBusy = false;
  /** Its client has gone: it ends when its statement does. */
  isAbandoned = false;
  /** Ends the transaction when it is idle for too long. */
  idleTimer: ClockTimer | null = null;
  private readonly effects: ((commit: number) => void)[] = [];
  private failure: StatementFailure | null = null;
  private open = true;
  private whenEnded: Promise<void> | null = null;
  private resolveEnded: (() => void) | null = null;

  /** @param session its name, by which it can be ended: a node's boot id */
  constructor(
    readonly session: string,
    private given: TransactionLimits,
  ) {}

  get limits(): TransactionLimits {
    return this.given;
  }

  /** As SET LOCAL idle_in_transaction_session_timeout. */
  limitIdleness(idleTimeoutMs: number): void {
    this.given = { ...this.given, idleTimeoutMs };
  }

  /** Resolves when the transaction is over. */
  get ended(): Promise<void> {
    return (this.whenEnded ??= this.open ? new Promise((resolve) => (this.resolveEnded = resolve)) : Promise.resolve());
  }

  /**
   * Runs `effect` when the transaction commits, with the number of the commit. It stands for the application's own
   * writes in the same transaction.
   */
  onCommit(effect: (commit: number) => void): void {
    this.requireOpen();
    this.effects.push(effect);
  }

  query(): Promise<unknown> {
    return Promise.reject(
      new TickwheelError("TRANSACTION_UNAVAILABLE", "A transaction of the memory store runs no SQL; use onCommit"),
    );
  }

  get isOpen(): boolean {
    return this.open;
  }

  /** @throws StatementFailure if the server ended it, TickwheelError `TRANSACTION_ALREADY_COMMITTED` once it is over */
  requireOpen(): void {
    if (this.failure) throw this.failure;
    if (!this.open) throw new TickwheelError("TRANSACTION_ALREADY_COMMITTED", "The transaction is over");
  }

  /** For the database: from now on the transaction refuses everything. */
  close(end: "committed" | StatementFailure): void {
    this.open = false;
    this.idleTimer?.clear();
    if (end !== "committed") this.failure = end;
    this.resolveEnded?.();
  }

  /** Whether the transaction's commit has any effect on the database. */
  get leavesTraces(): boolean {
    return this.held.length + this.effects.length > 0;
  }

  /** For the database: runs the effects, after the commit. */
  runEffects(commit: number): void {
    for (const effect of this.effects) effect(commit);
  }
}

/** What stands for a transaction of a memory database: an object of the application that shares its fate. */
const STAND_INS = new WeakMap<object, MemoryTransaction>();

/**
 * From now on a call that joins `standIn` joins this transaction: the transaction of another database that commits with
 * it, say.
 */
export function joinMemoryTransaction(standIn: object, transaction: MemoryTransaction): void {
  STAND_INS.set(standIn, transaction);
}

/** The transaction that a caller means; null: it is not one of a memory database. */
export function findMemoryTransaction(within: object): MemoryTransaction | null {
  return within instanceof MemoryTransaction ? within : (STAND_INS.get(within) ?? null);
}

/** @throws TickwheelError `TRANSACTION_UNAVAILABLE`: the transaction is not one of a memory database */
export function memoryTransaction(within: CallerTransaction): MemoryTransaction {
  const found = findMemoryTransaction(within);
  if (found) return found;
  throw new TickwheelError("TRANSACTION_UNAVAILABLE", "The memory store joins only its own database's transactions");
}
