import { type BootId, CONSUMER, type EpochMs, type ExecutionRef, keyNameOf, type NodeSession } from "@tickwheel/core";
import type { MemoryTransaction } from "./memory-transaction.js";
import type { NodeChange, StatementName, TaskChange } from "./statement-record.js";
import { TableScope } from "./table-scope.js";
import { type Moment, type TaskRow } from "./task-row.js";
import { type Table, type TableName, type TableRows, type Tables } from "./tables.js";
import type { Snapshot } from "./versioned-row.js";

/** Who sends which statement, for the log. */
export interface StatementOrigin {
  node: string;
  statement: StatementName;
  request: unknown;
}

/** What stands in place of a node's label where a consumer runs the task. */
export const CONSUMER_LABEL = "consumer";

/** The part of a database that its statements use. */
export interface StatementHost {
  readonly tables: Tables;
  /** The number of the database's timeline. */
  readonly timeline: number;
  now(): EpochMs;
  /** Waits as long as a test holds up the writes of a row. */
  passGate(table: TableName, key: string): Promise<void>;
  /** A pause between two steps of a statement. Null: no pause. */
  pause(): Promise<void> | null;
  /** Ends the sessions of this name. */
  terminate(session: string): void;
  /** A node's lock [lost-session]: the first connection that asks for it holds it until its session ends. */
  takeNodeLock(bootId: BootId, holder: object): void;
  /** Whether a session holds a node's lock, and which start of the database says so. */
  nodeSession(bootId: BootId): NodeSession;
  /** Ends the handlers' own transactions for whose execution `isMeant` is true. */
  endHandlers(isMeant: (execution: ExecutionRef) => boolean): void;
  /** The handlers whose transactions hold locks that somebody waits for. */
  blockingHandlers(): ExecutionRef[];
  /** Waits until `holder` is over. @throws StatementFailure */
  waitFor(holder: MemoryTransaction, waiting: MemoryTransaction): Promise<void>;
}

/**
 * The tables as one statement sees them, as in Postgres under READ COMMITTED. It reads the snapshot that was taken when
 * it began, and the writes of earlier statements of its own transaction. A row that it locks or changes comes in its
 * newest version, after any wait, and must be checked again (`lock` does this with the given guard).
 */
export class StatementScope implements Moment {
  get tasks() {
    return this.table("tasks");
  }
  get history() {
    return this.table("history");
  }
  get journals() {
    return this.table("journals");
  }
  get idempotency() {
    return this.table("idempotency");
  }
  get types() {
    return this.table("types");
  }
  get nodes() {
    return this.table("nodes");
  }
  get formerNodes() {
    return this.table("formerNodes");
  }
  get beats() {
    return this.table("beats");
  }
  get terms() {
    return this.table("terms");
  }
  get views() {
    return this.table("views");
  }
  get clusterEvents() {
    return this.table("clusterEvents");
  }
  get suspects() {
    return this.table("suspects");
  }
  get quarantines() {
    return this.table("quarantines");
  }
  get schedules() {
    return this.table("schedules");
  }
  get scheduleRuns() {
    return this.table("scheduleRuns");
  }
  get announcements() {
    return this.table("announcements");
  }
  get steps() {
    return this.table("steps");
  }
  get reports() {
    return this.table("reports");
  }
  get revisions() {
    return this.table("revisions");
  }
  get typeSettings() {
    return this.table("typeSettings");
  }
  get flowLimits() {
    return this.table("flowLimits");
  }
  get buckets() {
    return this.table("buckets");
  }
  get breakers() {
    return this.table("breakers");
  }
  get pauses() {
    return this.table("pauses");
  }
  get leases() {
    return this.table("leases");
  }
  /** The nodes that the statement has changed. */
  readonly nodeChanges: NodeChange[] = [];
  private changed: Map<string, TaskChange> | null = null;

  constructor(
    readonly host: StatementHost,
    readonly transaction: MemoryTransaction,
    readonly snapshot: Snapshot,
  ) {}

  /** The database's clock as it is now, not as it was when the statement began. */
  get now(): EpochMs {
    return this.host.now();
  }

  get timeline(): number {
    return this.host.timeline;
  }

  label(owner: BootId | null): string | null {
    if (owner === null) return null;
    if (owner === CONSUMER) return CONSUMER_LABEL;
    return (this.nodes.get(owner) ?? this.formerNodes.get(owner))?.label ?? null;
  }

  /** The tasks that the statement has changed. */
  changes(): TaskChange[] {
    return this.changed === null ? [] : [...this.changed.values()].filter(({ before, after }) => before !== after);
  }

  /** For tables: remembers a task's change. */
  note(id: string, before: TaskRow | undefined, after: TaskRow | undefined): void {
    const changed = (this.changed ??= new Map());
    const known = changed.get(id);
    changed.set(id, { before: known ? known.before : (before ?? null), after: after ?? null });
  }

  /**
   * Runs `write` and answers null if nobody holds the key; otherwise answers the task that holds it. Like a unique
   * index, it waits while another transaction is about to take the key or to give it back.
   */
  async underFreeKey({ typeId, key }: { typeId: number; key: string }, write: () => void): Promise<TaskRow | null> {
    const name = keyNameOf({ typeId, key });
    for (;;) {
      const found = this.lookUpKey(name);
      if (found && "row" in found) return found.row;
      if (!found) {
        write();
        return null;
      }
      await this.host.waitFor(found.writer, this.transaction);
    }
  }

  private lookUpKey(name: string): { row: TaskRow } | { writer: MemoryTransaction } | null {
    const { tasks, keys } = this.host.tables;
    for (const id of keys.get(name) ?? []) {
      const chain = tasks.get(id)!;
      const { writer } = chain;
      const holds = (row: TaskRow | undefined): boolean => row?.keyLive === true;
      if (writer && writer !== this.transaction) {
        if (holds(chain.newest) || holds(chain.committed)) return { writer };
      } else if (holds(chain.newest)) {
        return { row: chain.newest! };
      }
    }
    return null;
  }

  private table<Name extends TableName>(name: Name): TableScope<TableRows[Name]> {
    return new TableScope(this, this.host.tables[name] as Table<TableRows[Name]>, name);
  }
}
