import {
  type CallerTransaction,
  type EffectStore,
  type Execution,
  MAX_STEP_NAME,
  MAX_STEPS,
  type StepReply,
  type TaskStore,
  TickwheelError,
} from "@tickwheel/core";
import { requireKept } from "./lost-attempt.js";
import { resultTextIfJson } from "./result-text.js";

/**
 * Runs `work` in one transaction of the application's database and commits it, or rolls it back when `work` throws.
 * `handle` is what a handler gets of the transaction. Default: the transaction itself.
 */
export type TransactionRunner<Transaction extends CallerTransaction = CallerTransaction> = <T>(
  work: (transaction: Transaction, handle?: unknown) => Promise<T>,
) => Promise<T>;

type StepWork = (handle: unknown) => Promise<unknown>;

/** A step that is found to be stored is looked up again at most this often. */
const MAX_LOOKS = 2;

/**
 * The steps of one execution (`ctx.once`). Each runs in a transaction of its own that also stores its result, under a
 * lock of the task's row: so it counts exactly once, whatever dies when. Calls of the same name share one run.
 */
export class ExecutionSteps {
  private readonly running = new Map<string, Promise<string | null>>();

  constructor(
    private readonly execution: Execution,
    private readonly ports: {
      tasks: Pick<TaskStore, "beginWithin">;
      effects: Pick<EffectStore, "findStep" | "storeStep">;
      runTransaction: TransactionRunner | null;
    },
    /** The limit of a result's JSON in UTF-8. */
    private readonly limitBytes: number,
  ) {}

  /** Answers the step's result as its JSON has it: the same in the first call and in each later one. */
  async once(name: string, work: StepWork): Promise<unknown> {
    requireName(name);
    const { runTransaction } = this.ports;
    if (!runTransaction)
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "ctx.once needs the application's own database: pass `dataSource` or `transactions` to DelayTaskModule.",
      );
    const result = await this.shared(name, () => this.run(runTransaction, name, work));
    return result === null ? null : JSON.parse(result);
  }

  private async shared(name: string, run: () => Promise<string | null>): Promise<string | null> {
    const under = this.running.get(name);
    if (under) return under;
    const started = run();
    this.running.set(name, started);
    try {
      return await started;
    } finally {
      this.running.delete(name);
    }
  }

  private async run(runTransaction: TransactionRunner, name: string, work: StepWork): Promise<string | null> {
    for (let look = 1; ; look++) {
      try {
        return await runTransaction((transaction, handle = transaction) =>
          this.runIn(transaction, name, () => work(handle)),
        );
      } catch (error) {
        if (!(error instanceof StoredMeanwhile) || look === MAX_LOOKS) throw error;
      }
    }
  }

  private async runIn(
    transaction: CallerTransaction,
    name: string,
    work: () => Promise<unknown>,
  ): Promise<string | null> {
    const { tasks, effects } = this.ports;
    const { id, owner, fence, timeoutMs } = this.execution.task;
    await tasks.beginWithin({ id, owner, fence, timeoutMs }, transaction);
    // A listener for an abort that has been there before hears nothing any more.
    requireKept(this.execution, "once");
    const { stored, count } = await effects.findStep({ taskId: id, name }, transaction);
    if (stored) return stored.result;
    if (count >= MAX_STEPS) throw refusalOf("full", name);
    const value = await work();
    requireKept(this.execution, "once");
    const result = resultTextIfJson(value, this.limitBytes);
    const reply = await effects.storeStep({ id, owner, fence, name, result, isBegun: true }, transaction);
    if (reply !== "stored") throw refusalOf(reply, name);
    return result;
  }
}

/** A try of the step whose answer was lost has stored it after all: what this try did is rolled back. */
class StoredMeanwhile extends TickwheelError {
  constructor(name: string) {
    super("INTERNAL", `The step ${JSON.stringify(name)} is stored, and is not found`);
  }
}

function refusalOf(reply: Exclude<StepReply, "stored">, name: string): TickwheelError {
  if (reply === "present") return new StoredMeanwhile(name);
  if (reply === "stale")
    return new TickwheelError(
      "LEASE_LOST",
      "The task is no longer this execution's; the step's transaction is rolled back.",
    );
  return new TickwheelError(
    "VALIDATION_FAILED",
    `A task has at most ${MAX_STEPS} steps of ctx.once; this is one more.`,
  );
}

function requireName(name: unknown): asserts name is string {
  const isName =
    typeof name === "string" &&
    name.length >= 1 &&
    name.length <= MAX_STEP_NAME &&
    !name.includes("\0") &&
    name.isWellFormed();
  if (!isName)
    throw new TickwheelError(
      "VALIDATION_FAILED",
      `ctx.once takes a name of 1 to ${MAX_STEP_NAME} characters, without NUL and halves of characters.`,
    );
}
