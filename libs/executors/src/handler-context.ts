import {
  type CallerTransaction,
  type Completion,
  type Execution,
  MAX_DELAY_MS,
  type OccurrenceFacts,
  parseDurationMs,
  type TaskStore,
  TickwheelError,
} from "@tickwheel/core";
import { resultTextIfJson } from "./result-text.js";

/** Runs `work` in one transaction of the application's database and commits it, or rolls it back when `work` throws. */
export type TransactionRunner<Transaction extends CallerTransaction = CallerTransaction> = <T>(
  work: (transaction: Transaction) => Promise<T>,
) => Promise<T>;

/** What a handler gets beside its task. */
export interface HandlerContext<Transaction extends CallerTransaction = CallerTransaction> {
  /**
   * Aborts on time-out, cancel, lost lease and drain. A handler that stops then loses nothing; one that goes on can
   * settle nothing.
   */
  readonly signal: AbortSignal;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Rises with every claim; hand it to systems that can refuse an older one. */
  readonly fence: number;
  /** The same for every attempt of this task: for systems that know idempotency keys. */
  readonly idempotencyKey: string;
  /** The name of the schedule that the task is an occurrence of; null: it is none's. */
  readonly schedule: string | null;
  /** The instant that an occurrence of a schedule runs for; null: the task is none. */
  readonly occurrenceAt: Date | null;
  /** How many instants of its schedule were missed before it: 0 on time, and for a task of no schedule. */
  readonly missed: number;
  /**
   * Puts the task off: this attempt ends with its handler and does not count, and the task is due again after the
   * delay. What the handler returns is not kept; where it throws, the attempt has failed all the same. At most 100
   * times (`maxSnoozes`); the next one is a failed attempt. It does not go together with `transaction`, which completes
   * the task.
   *
   * @param delay milliseconds, or a text such as `"15m"`
   * @throws TickwheelError `VALIDATION_FAILED`: the delay is none
   * @example if (!(await stock.hasArrived(orderId))) return ctx.snooze("30m");
   */
  snooze(delay: number | string): void;
  /**
   * Runs `work` in a transaction that also completes the task: its effects happen exactly once in this database,
   * whatever dies when. `work` may return anything: JSON is the task's result, what has none (a cycle, a BigInt, a
   * function) is no result. At most one per execution.
   *
   * The session carries the task's name meanwhile (`application_name`, see docs/reliability.md): a leader that declares
   * this node dead ends it, so that its locks hold up nobody. The server ends it too when it has done nothing for
   * longer than the task's time-out.
   *
   * @throws TickwheelError `LEASE_LOST` (all is rolled back) when this execution is no longer the task's;
   *   `RESULT_INVALID` (rolled back, too) when what `work` returns is over `resultLimitBytes` or 1,000 levels;
   *   `TRANSACTION_UNAVAILABLE` without the application's own DataSource; `TRANSACTION_ALREADY_COMMITTED` on a second
   *   call
   * @example await ctx.transaction((manager) => manager.update(Order, { id, status: "unpaid" }, { status: "cancelled" }))
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

/** What a handler's result is held against. */
export interface ResultRules {
  /** Of its JSON in UTF-8. */
  limitBytes: number;
  /** @throws Error where the handler says that its result is no success */
  requireSuccess(result: unknown): void;
}

/** The context of one execution, and whether its transaction has committed. */
export class ExecutionContext implements HandlerContext {
  committed = false;
  /** For how long the handler has put the task off; null: it has not. */
  snoozedMs: number | null = null;
  /** Null: the task is no occurrence, or its schedule is kept no more. */
  occurrence: OccurrenceFacts | null = null;

  constructor(
    private readonly execution: Execution,
    private readonly ports: {
      tasks: Pick<TaskStore, "beginWithin" | "completeWithin">;
      runTransaction: TransactionRunner | null;
    },
    private readonly results: ResultRules,
  ) {}

  get signal(): AbortSignal {
    return this.execution.signal;
  }

  get attempt(): number {
    return this.execution.task.attempt;
  }

  get fence(): number {
    return this.execution.task.fence;
  }

  get idempotencyKey(): string {
    return this.execution.task.id;
  }

  get schedule(): string | null {
    return this.occurrence?.schedule ?? null;
  }

  get occurrenceAt(): Date | null {
    return this.occurrence && new Date(this.occurrence.occurrenceAt);
  }

  get missed(): number {
    return this.occurrence?.missed ?? 0;
  }

  snooze(delay: number | string): void {
    const delayMs = parseDurationMs(delay);
    if (delayMs === null || delayMs > MAX_DELAY_MS)
      throw new TickwheelError("VALIDATION_FAILED", 'ctx.snooze takes milliseconds, or a text such as "15m".');
    if (this.committed)
      throw new TickwheelError("TRANSACTION_ALREADY_COMMITTED", "This execution has completed already.");
    this.snoozedMs = delayMs;
  }

  async transaction<T>(work: (transaction: CallerTransaction) => Promise<T>): Promise<T> {
    if (this.committed)
      throw new TickwheelError("TRANSACTION_ALREADY_COMMITTED", "This execution has completed already.");
    const { runTransaction } = this.ports;
    if (!runTransaction)
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "ctx.transaction needs the application's own DataSource: pass `dataSource` to DelayTaskModule.",
      );
    const { value, completion } = await runTransaction((transaction) => this.runAndComplete(work, transaction));
    this.committed = true;
    this.execution.committed(completion);
    return value;
  }

  private async runAndComplete<T>(
    work: (transaction: CallerTransaction) => Promise<T>,
    transaction: CallerTransaction,
  ): Promise<{ value: T; completion: Completion }> {
    const { id, owner, fence, timeoutMs } = this.execution.task;
    await this.ports.tasks.beginWithin({ id, owner, fence, timeoutMs }, transaction);
    // Who listens for an abort that has been there before hears nothing any more.
    this.signal.throwIfAborted();
    const value = await work(transaction);
    this.signal.throwIfAborted();
    if (this.snoozedMs !== null)
      throw new TickwheelError("VALIDATION_FAILED", "ctx.snooze puts the task off, and ctx.transaction completes it.");
    this.results.requireSuccess(value);
    const result = resultTextIfJson(value, this.results.limitBytes);
    const completion = { id, owner, fence, startedAt: this.execution.startedAt, result };
    // The guard is this write, last in the transaction: an execution that was superseded meanwhile rolls its effects
    // back.
    if (await this.ports.tasks.completeWithin(completion, transaction)) return { value, completion };
    throw new TickwheelError("LEASE_LOST", "The task is no longer this execution's; its transaction is rolled back.");
  }
}
