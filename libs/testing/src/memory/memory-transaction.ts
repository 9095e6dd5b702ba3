import { type CallerTransaction, TickwheelError } from "@tickwheel/core";
import type { Draft, LockHolder } from "./draft.js";
import type { AppliedStatement } from "./statement-record.js";

/**
 * A caller's transaction over a {@link MemoryDatabase}, as `MemoryDatabase.transaction` gives it to its work. What is written through it
 * is seen by nobody else until it commits, and the rows it touched are locked until then: statements about them wait, claims and reaps
 * pass them by. It knows no SQL: `query` throws.
 */
export class MemoryTransaction implements CallerTransaction, LockHolder {
  /** Resolves when the transaction is over. */
  readonly ended: Promise<void>;
  /** What its statements did, for the database's log at the commit. */
  readonly records: AppliedStatement[] = [];
  /** Whose lock a statement of this transaction waits for. */
  waitingFor: LockHolder | null = null;
  private readonly effects: (() => void)[] = [];
  private open = true;
  private resolveEnded: () => void = () => undefined;

  /** What it has written so far. */
  readonly draft: Draft;

  constructor(begin: (holder: LockHolder) => Draft) {
    this.draft = begin(this);
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
  }

  /** Runs `effect` if and when the transaction commits: a test's own writes, beside the tasks'. */
  onCommit(effect: () => void): void {
    this.requireOpen();
    this.effects.push(effect);
  }

  query(): Promise<unknown> {
    return Promise.reject(
      new TickwheelError("TRANSACTION_UNAVAILABLE", "A transaction of the memory store runs no SQL; use onCommit"),
    );
  }

  /** @throws TickwheelError `TRANSACTION_ALREADY_COMMITTED` once it is over */
  requireOpen(): void {
    if (!this.open) throw new TickwheelError("TRANSACTION_ALREADY_COMMITTED", "The transaction is over");
  }

  /** For the database: nothing more can be done in it. */
  close(committed: boolean): void {
    this.open = false;
    if (committed) for (const effect of this.effects) effect();
    this.resolveEnded();
  }
}
