import { keyNameOf } from "@tickwheel/core";
import type { LockMode } from "./row-lock.js";
import type { StatementScope } from "./statement-scope.js";
import { type NodeRow, type Table, type TableName } from "./tables.js";
import type { TaskRow } from "./task-row.js";
import { VersionedRow } from "./versioned-row.js";

/** How a row is locked. Default: as by `FOR UPDATE`, after a wait for other holders. */
export interface Locking {
  mode?: LockMode;
  /** `skip` leaves out a row that another transaction holds, as SKIP LOCKED does. */
  locked?: "wait" | "skip";
}

const always = (): boolean => true;

/** One table as one statement sees it, with the methods that lock and write its rows. See {@link StatementScope}. */
export class TableScope<Row> {
  constructor(
    private readonly scope: StatementScope,
    private readonly rows: Table<Row>,
    private readonly name: TableName,
  ) {}

  /** The row as the statement's snapshot has it. */
  get(key: string): Row | undefined {
    return this.rows.get(key)?.seenBy(this.scope.snapshot);
  }

  /** The row's newest version. Only for a transaction that holds the row, or another row whose lock protects it. */
  newest(key: string): Row | undefined {
    return this.rows.get(key)?.newest;
  }

  /** The rows that the snapshot has. */
  values(): Row[] {
    const seen: Row[] = [];
    for (const chain of this.rows.values()) {
      const row = chain.seenBy(this.scope.snapshot);
      if (row !== undefined) seen.push(row);
    }
    return seen;
  }

  /**
   * Locks a row and answers its newest version, which stays unchanged until the transaction ends. `guard` must accept
   * the row in the snapshot, and again in the newest version after the wait. A row that was deleted meanwhile is gone
   * and is not locked, even if another row was then inserted under its key. Null: the row was not found, refused or
   * skipped.
   *
   * @throws StatementFailure `lock-timeout`, `deadlock`, `terminated`
   */
  async lock(key: string, guard: (row: Row) => boolean = always, how: Locking = {}): Promise<Row | null> {
    const { snapshot, transaction } = this.scope;
    const chain = this.rows.get(key);
    const seen = chain?.versionSeenBy(snapshot);
    if (!chain || seen?.row === undefined || !guard(seen.row)) return null;
    const isHeld = chain.isHeldBy(transaction);
    const row = await this.lockNewest(key, guard, how);
    if (!chain.isDeletedSince(seen)) return row;
    if (!isHeld) chain.release(transaction);
    return null;
  }

  /** The same for a row that an index has shown, even if the snapshot does not have it. For ON CONFLICT. */
  async lockNewest(key: string, guard: (row: Row) => boolean = always, how: Locking = {}): Promise<Row | null> {
    const chain = this.rows.get(key);
    if (!chain || !(await this.acquire(chain, how))) return null;
    this.tellHeld(key);
    const { newest } = chain;
    return newest !== undefined && guard(newest) ? newest : null;
  }

  /**
   * {@link lock}s the rows that `guard` accepts and that nobody else holds, as SELECT … LIMIT … FOR UPDATE SKIP LOCKED
   * does.
   */
  async lockFree(guard: (row: Row) => boolean, limit = Infinity): Promise<Row[]> {
    const locked: Row[] = [];
    // A list of its own: rows that come while it waits for a lock are no part of the statement.
    for (const key of Array.from(this.rows.keys())) {
      if (locked.length === limit) break;
      const row = await this.lock(key, guard, { locked: "skip" });
      if (row !== null) locked.push(row);
    }
    return locked;
  }

  /** Locks the row if `guard` accepts it, and writes the changed row. Null: nothing was changed. */
  async update(key: string, guard: (row: Row) => boolean, change: (row: Row) => Row): Promise<Row | null> {
    const row = await this.lock(key, guard, { mode: "no-key-update" });
    if (row === null) return null;
    const after = change(row);
    await this.write(key, after);
    return after;
  }

  /**
   * As INSERT … ON CONFLICT. If there is no row, it writes this one and answers null. Otherwise it locks the existing
   * row and answers it.
   */
  async insertOrLock(key: string, row: Row): Promise<Row | null> {
    let chain = this.rows.get(key);
    if (!chain) this.rows.set(key, (chain = new VersionedRow()));
    await this.acquire(chain, {});
    if (chain.newest !== undefined) return chain.newest;
    await this.scope.host.passGate(this.name, key);
    this.scope.transaction.requireOpen();
    this.put(key, row);
    return null;
  }

  delete(key: string): Promise<void> {
    return this.write(key, undefined);
  }

  /** Writes a row that this transaction holds, or that nobody else can hold. */
  async write(key: string, row: Row | undefined): Promise<void> {
    await this.passGate(key);
    this.put(key, row);
  }

  /** Waits as long as a test holds up the writes of this row. */
  async passGate(key: string): Promise<void> {
    const { host, transaction } = this.scope;
    if (this.rows.get(key)?.newest === undefined) return;
    await host.passGate(this.name, key);
    transaction.requireOpen();
  }

  /** {@link write}, at once. */
  put(key: string, row: Row | undefined): void {
    const { transaction } = this.scope;
    let chain = this.rows.get(key);
    if (!chain) this.rows.set(key, (chain = new VersionedRow()));
    const other = chain.holderAgainst(transaction, "no-key-update");
    if (other) throw new Error(`A statement writes ${this.name} ${key}, which another transaction holds`);
    chain.hold(transaction, "no-key-update");
    this.tellHeld(key);
    if (this.name === "tasks" || this.name === "history") this.noteTask(chain, key, row);
    if (this.name === "nodes") this.noteNode(chain, row);
    chain.write(row, transaction);
  }

  private tellHeld(key: string): void {
    if (this.name === "tasks") this.scope.transaction.onTaskHeld?.(key);
  }

  private noteTask(chain: VersionedRow<Row>, id: string, row: Row | undefined): void {
    const after = row as TaskRow | undefined;
    this.scope.note(id, chain.newest as TaskRow | undefined, after);
    if (this.name !== "tasks" || !after?.keyLive) return;
    const { keys } = this.scope.host.tables;
    const name = keyNameOf(after);
    const ids = keys.get(name) ?? new Set();
    keys.set(name, ids.add(id));
  }

  private noteNode(chain: VersionedRow<Row>, row: Row | undefined): void {
    const [before, after] = [chain.newest, row].map((node) => (node as NodeRow | undefined) ?? null);
    this.scope.nodeChanges.push({ before: before ?? null, after: after ?? null });
  }

  /** Locks the row. False: another transaction holds it, and it is to be skipped. */
  private async acquire(chain: VersionedRow<Row>, { mode = "update", locked = "wait" }: Locking): Promise<boolean> {
    const { host, transaction } = this.scope;
    const pause = host.pause();
    if (pause) {
      await pause;
      transaction.requireOpen();
    }
    for (;;) {
      const holder = chain.holderAgainst(transaction, mode);
      if (holder === null) break;
      if (locked === "skip") return false;
      await host.waitFor(holder, transaction);
    }
    chain.hold(transaction, mode);
    return true;
  }
}
