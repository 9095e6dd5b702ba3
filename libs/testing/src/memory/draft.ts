import type { CreateOutcome, EpochMs, ExecutionRef, JournalEntry } from "@tickwheel/core";
import type { TaskRow } from "./task-row.js";

/** A remembered answer to a create. */
export interface IdempotencyRow {
  bodyHash: string;
  at: EpochMs;
  answers: readonly CreateAnswer[];
}
export type CreateAnswer =
  { outcome: CreateOutcome; id: string; interrupted?: ExecutionRef } | { outcome: "rejected"; existingId: string };

/** What the task statements read and write, by name of the table. */
export interface TableRows {
  tasks: TaskRow;
  history: TaskRow;
  journals: readonly JournalEntry[];
  /** Id of the task that holds the key, by {@link keyName}. */
  keys: string;
  idempotency: IdempotencyRow;
}
export type TableName = keyof TableRows;

interface RowSource<Row> {
  get(key: string): Row | undefined;
  entries(): Iterable<[string, Row]>;
}

/** An open transaction, as those see it that wait for its locks. */
export interface LockHolder {
  readonly ended: Promise<void>;
  /** Whose lock its own statement waits for. */
  waitingFor: LockHolder | null;
}
/** Rows that an open transaction has written or locked, `table/key`, and which transaction it is. */
export type Locks = Map<string, LockHolder>;

/** Thrown inside a statement that must wait for another transaction; the statement then runs again from its start. */
export class RowLocked extends Error {
  constructor(readonly by: LockHolder) {
    super("The row is locked by another transaction");
  }
}

/** A table's changes over the rows below: seen through this draft only until {@link commit}. */
export class DraftTable<Row> implements RowSource<Row> {
  readonly changes = new Map<string, Row | undefined>();
  readonly locked = new Set<string>();

  constructor(
    /** The rows as they were before this draft. */
    readonly below: RowSource<Row>,
    private readonly heldByOther: (key: string) => LockHolder | null,
  ) {}

  get(key: string): Row | undefined {
    return this.changes.has(key) ? this.changes.get(key) : this.below.get(key);
  }

  /** The row, which stays as it is until the transaction ends. Waits for another's lock. */
  lock(key: string): Row | undefined {
    const other = this.heldByOther(key);
    if (other) throw new RowLocked(other);
    this.locked.add(key);
    return this.get(key);
  }

  /** Whether another transaction holds it: what `SKIP LOCKED` leaves out. */
  isLocked(key: string): boolean {
    return this.heldByOther(key) !== null;
  }

  set(key: string, row: Row): void {
    this.lock(key);
    this.changes.set(key, row);
  }

  delete(key: string): void {
    this.lock(key);
    this.changes.set(key, undefined);
  }

  *entries(): Iterable<[string, Row]> {
    for (const [key, row] of this.below.entries()) if (!this.changes.has(key)) yield [key, row];
    for (const [key, row] of this.changes) if (row !== undefined) yield [key, row];
  }

  /** Takes over the changes of a draft over this one. */
  absorb(above: DraftTable<Row>): void {
    for (const [key, row] of above.changes) this.changes.set(key, row);
  }

  *values(): Iterable<Row> {
    for (const [, row] of this.entries()) yield row;
  }
}

export type Tables = { [Name in TableName]: RowSource<TableRows[Name]> };

/**
 * One statement's (or one transaction's) view of the tables: reads go through to what is below, writes stay here until they are
 * committed. A statement that throws has changed nothing.
 */
export class Draft implements Tables {
  readonly tasks: DraftTable<TaskRow>;
  readonly history: DraftTable<TaskRow>;
  readonly journals: DraftTable<readonly JournalEntry[]>;
  readonly keys: DraftTable<string>;
  readonly idempotency: DraftTable<IdempotencyRow>;

  constructor(below: Tables, locks: Locks, within: LockHolder | null) {
    const table = <Row>(name: TableName, rows: RowSource<Row>): DraftTable<Row> =>
      new DraftTable(rows, (key) => {
        const holder = locks.get(`${name}/${key}`);
        return holder === undefined || holder === within ? null : holder;
      });
    this.tasks = table("tasks", below.tasks);
    this.history = table("history", below.history);
    this.journals = table("journals", below.journals);
    this.keys = table("keys", below.keys);
    this.idempotency = table("idempotency", below.idempotency);
  }

  /** Takes over what a statement did over this transaction. */
  absorb(above: Draft): void {
    this.tasks.absorb(above.tasks);
    this.history.absorb(above.history);
    this.journals.absorb(above.journals);
    this.keys.absorb(above.keys);
    this.idempotency.absorb(above.idempotency);
  }

  /** `table/key` of every row that this draft wrote or locked. */
  lockNames(): string[] {
    return TABLE_NAMES.flatMap((name) => [...this[name].locked].map((key) => `${name}/${key}`));
  }
}

export const TABLE_NAMES: readonly TableName[] = ["tasks", "history", "journals", "keys", "idempotency"];

/** The name under which a live key is kept. */
export function keyName(typeId: number, key: string): string {
  return `${typeId}\0${key}`;
}
