import type { MemoryTransaction } from "./memory-transaction.js";
import { conflict, type LockMode, stronger } from "./row-lock.js";

/** A row's value from one write to the next. `row` is undefined if the row was deleted. */
export interface Version<Row> {
  row: Row | undefined;
  by: MemoryTransaction;
  /** Which statement of its transaction wrote it. */
  command: number;
  /** Null: not committed. */
  commit: number | null;
}

/**
 * The versions that a statement sees: those committed when it began, and those that earlier statements of its own
 * transaction wrote.
 */
export interface Snapshot {
  commit: number;
  by: MemoryTransaction;
  command: number;
}

/**
 * One row in all its versions, oldest first, and the transactions that hold it. Only one transaction at a time has
 * uncommitted versions, and they come last.
 */
export class VersionedRow<Row> {
  readonly versions: Version<Row>[] = [];
  readonly locks = new Map<MemoryTransaction, LockMode>();

  /** The row as a statement's snapshot has it. */
  seenBy(snapshot: Snapshot): Row | undefined {
    return this.versionSeenBy(snapshot)?.row;
  }

  /** The same, as a version, which also says who wrote it. */
  versionSeenBy(snapshot: Snapshot): Version<Row> | undefined {
    for (let place = this.versions.length - 1; place >= 0; place--) {
      const version = this.versions[place]!;
      const { by, command, commit } = version;
      const isSeen = commit === null ? by === snapshot.by && command < snapshot.command : commit <= snapshot.commit;
      if (isSeen) return version;
    }
    return undefined;
  }

  /** Whether the row that this version belongs to was deleted after it. */
  isDeletedSince(version: Version<Row>): boolean {
    return this.versions.slice(this.versions.indexOf(version) + 1).some(({ row }) => row === undefined);
  }

  /** The newest version of the row, committed or not. Only for a transaction that holds the row. */
  get newest(): Row | undefined {
    return this.versions.at(-1)?.row;
  }

  /** The newest committed version of the row. */
  get committed(): Row | undefined {
    for (let place = this.versions.length - 1; place >= 0; place--) {
      if (this.versions[place]!.commit !== null) return this.versions[place]!.row;
    }
    return undefined;
  }

  /** The transaction that has written the row and has not yet committed. */
  get writer(): MemoryTransaction | null {
    const last = this.versions.at(-1);
    return last?.commit === null ? last.by : null;
  }

  /** Another transaction that holds the row in a mode that conflicts with `mode`. */
  holderAgainst(transaction: MemoryTransaction, mode: LockMode): MemoryTransaction | null {
    for (const [holder, held] of this.locks) if (holder !== transaction && conflict(held, mode)) return holder;
    return null;
  }

  hold(transaction: MemoryTransaction, mode: LockMode): void {
    const before = this.locks.get(transaction);
    if (before === undefined) transaction.held.push(this);
    this.locks.set(transaction, stronger(before, mode));
  }

  isHeldBy(transaction: MemoryTransaction): boolean {
    return this.locks.has(transaction);
  }

  /** Gives back a lock that was taken in vain. */
  release(transaction: MemoryTransaction): void {
    this.locks.delete(transaction);
    const place = transaction.held.indexOf(this as VersionedRow<unknown>);
    if (place >= 0) transaction.held.splice(place, 1);
  }

  write(row: Row | undefined, by: MemoryTransaction): void {
    this.versions.push({ row, by, command: by.command, commit: null });
  }

  /** Makes the transaction's versions committed, and frees its lock. */
  commit(transaction: MemoryTransaction, commit: number): void {
    for (const version of this.versions)
      if (version.commit === null && version.by === transaction) version.commit = commit;
    this.locks.delete(transaction);
  }

  /** Removes the versions that the transaction wrote, from the given statement on. */
  undo(transaction: MemoryTransaction, fromCommand = 0): void {
    const isUndone = (version: Version<Row>): boolean =>
      version.commit === null && version.by === transaction && version.command >= fromCommand;
    while (this.versions.length > 0 && isUndone(this.versions.at(-1)!)) this.versions.pop();
  }

  /** Drops the versions that were committed after `commit`. */
  forgetAfter(commit: number): void {
    while (this.versions.length > 0 && (this.versions.at(-1)!.commit ?? Infinity) > commit) this.versions.pop();
  }

  /** Drops the versions that no statement can see any more. */
  prune(): void {
    if (this.writer === null && this.versions.length > 1) this.versions.splice(0, this.versions.length - 1);
  }
}
