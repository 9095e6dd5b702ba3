import {
  type DurationInput,
  batchOfKey,
  type CallerTransaction,
  type Clock,
  type Completion,
  type EffectStore,
  type EpochMs,
  type Execution,
  MAX_DELAY_MS,
  type NewTask,
  type OccurrenceFacts,
  parseDurationMs,
  type Shard,
  storableText,
  type TaskStore,
  TickwheelError,
  type TypeDeferral,
} from "@tickwheel/core";
import { endedCalls, ExecutionCalls, snoozedAndCompleted } from "./execution-calls.js";
import { ExecutionCheckpoint } from "./execution-checkpoint.js";
import { ExecutionProgress } from "./execution-progress.js";
import { ExecutionSpawns, type SpawnDrafts, type SpawnedTask } from "./execution-spawns.js";
import { ExecutionSteps, type TransactionRunner } from "./execution-steps.js";
import { ExecutionWalk } from "./execution-walk.js";
import { requireKept } from "./lost-attempt.js";
import { resultTextIfJson } from "./result-text.js";
import type { HandlerContext } from "./handler-context.js";
import { type LoggerSource, SILENT_LOGGER, type TaskLogger } from "./task-logger.js";

/** What a handler's result is held against. */
export interface ResultRules {
  /** The limit of its JSON in UTF-8. */
  limitBytes: number;
  /** @throws Error where the handler says that its result is no success */
  requireSuccess(result: unknown): void;
}

/** A type is deferred for so long, in milliseconds: longer waits are for people to ask for. */
const MIN_DEFERRAL_MS = 100;
const MAX_DEFERRAL_MS = 3_600_000;
const MAX_REASON_LENGTH = 1_000;

/** What a context works with. */
export interface ContextPorts {
  tasks: Pick<TaskStore, "beginWithin" | "completeWithin">;
  effects: EffectStore;
  clock: Clock;
  /** Null: the application has no database of its own here. */
  runTransaction: TransactionRunner | null;
  /** Default: nobody logs. */
  loggerOf?: LoggerSource;
  /** Default: nothing can be spawned. */
  spawnDrafts?: SpawnDrafts;
}

/** The calls of all attempts that have ended without a call. */
const ENDED_CALLS = endedCalls();

/** The context of one execution, and whether its transaction has committed. */
export class ExecutionContext implements HandlerContext {
  /** For how long the handler has put the task off; null: it has not. */
  snoozedMs: number | null = null;
  /** Null: it has not deferred its type. */
  deferral: TypeDeferral | null = null;
  /** Null: the task is no occurrence, or its schedule is kept no more. */
  occurrence: OccurrenceFacts | null = null;

  // Each is made when a handler asks for it: most never do.
  private ownCalls: ExecutionCalls | null = null;
  private steps: ExecutionSteps | null = null;
  private ownWalk: ExecutionWalk | null = null;
  private checkpoints: ExecutionCheckpoint | null = null;
  private told: ExecutionProgress | null = null;
  private ownLogger: TaskLogger | null = null;
  private spawns: ExecutionSpawns | null = null;

  constructor(
    private readonly execution: Execution,
    private readonly ports: ContextPorts,
    private readonly results: ResultRules,
  ) {}

  /** Whether the handler's transaction has completed the task. */
  get committed(): boolean {
    return this.ownCalls?.isCompleted ?? false;
  }

  get startedAt(): number {
    return this.execution.startedAt;
  }

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

  get batchId(): string | null {
    const { member, key } = this.execution.task;
    return member?.batchId ?? batchOfKey(key);
  }

  get shard(): Shard | null {
    return this.execution.task.member?.shard ?? null;
  }

  /** What the handler has spawned; undefined: nothing. */
  get spawned(): readonly NewTask[] | undefined {
    return this.spawns?.tasks;
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

  spawn(tasks: readonly SpawnedTask[]): Promise<void> {
    return this.calls.run("spawn", () => {
      this.spawns ??= new ExecutionSpawns(this.execution, this.ports.spawnDrafts ?? null);
      return this.spawns.add(tasks);
    });
  }

  snooze(delay: DurationInput): void {
    const delayMs = parseDurationMs(delay);
    if (delayMs === null || delayMs > MAX_DELAY_MS)
      throw new TickwheelError("VALIDATION_FAILED", 'ctx.snooze takes milliseconds, or a text such as "15m".');
    this.calls.requireFree("snooze");
    this.snoozedMs = delayMs;
  }

  defer(delay: DurationInput, { reason = null }: { reason?: string | null } = {}): void {
    const forMs = parseDurationMs(delay);
    if (forMs === null || forMs < MIN_DEFERRAL_MS || forMs > MAX_DEFERRAL_MS)
      throw new TickwheelError(
        "VALIDATION_FAILED",
        'ctx.defer takes 100 ms to 1 h: milliseconds, or a text such as "5m".',
      );
    if (reason !== null && (typeof reason !== "string" || reason.length > MAX_REASON_LENGTH))
      throw new TickwheelError("VALIDATION_FAILED", "The reason of ctx.defer is a text of at most 1,000 characters.");
    this.calls.requireFree("snooze");
    this.snoozedMs = forMs;
    this.deferral = { forMs, reason: reason === null ? null : storableText(reason) };
  }

  get logger(): TaskLogger {
    return (this.ownLogger ??= this.newLogger());
  }

  once<T>(name: string, work: (handle: never) => Promise<T>): Promise<T> {
    this.steps ??= new ExecutionSteps(this.execution, this.ports, this.results.limitBytes);
    const steps = this.steps;
    const ofHandler = (handle: unknown): Promise<T> => this.calls.ofHandler(() => work(handle as never));
    return this.calls.run("once", () => steps.once(name, ofHandler) as Promise<T>);
  }

  walk<From>(step: (from: From | null, handle: never) => Promise<From | null>): Promise<void> {
    const ports = { ...this.ports, checkpoint: this.checkpointOfThis };
    this.ownWalk ??= new ExecutionWalk(this.execution, ports, (error) => this.calls.refusal(error));
    const walk = this.ownWalk;
    const ofHandler = (from: unknown, handle: unknown): Promise<unknown> =>
      this.calls.ofHandler(() => step(from as From | null, handle as never));
    return this.calls.run("walk", () => walk.walk(ofHandler));
  }

  checkpoint(state: unknown): Promise<void> {
    return this.calls.run("checkpoint", async () => {
      if (this.ownWalk) throw this.calls.refusal(checkpointOfWalk());
      await this.checkpointOfThis.save(state);
    });
  }

  lastCheckpoint<T = unknown>(): Promise<T | null> {
    return this.checkpointOfThis.read() as Promise<T | null>;
  }

  progress(value: number, note?: string | null): void {
    this.told ??= new ExecutionProgress(this.execution, this.ports);
    this.told.tell(value, note);
  }

  /**
   * Waits for what the handler has begun, as long as it has not failed. Whatever the handler does from then on is
   * refused. Null: it has begun nothing; a promise for each short handler would be felt.
   *
   * @throws what a call throws that it has not waited for, or the refusal of a call
   */
  endCalls(): Promise<void> | null {
    return this.ownCalls?.end() ?? null;
  }

  /** Writes the last progress, as long as the execution is the task's. Never rejects. Null: there is none. */
  end(): Promise<void> | null {
    this.ownCalls?.close();
    this.ownCalls ??= ENDED_CALLS;
    return this.told?.end() ?? null;
  }

  transaction<T>(work: (handle: never) => Promise<T>): Promise<T> {
    return this.calls.run("transaction", () => this.completeBy(work));
  }

  private async completeBy<T>(work: (handle: never) => Promise<T>): Promise<T> {
    const { runTransaction } = this.ports;
    if (!runTransaction)
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "ctx.transaction needs the application's own database: pass `dataSource` or `transactions` to DelayTaskModule.",
      );
    if (this.snoozedMs !== null) throw this.calls.refusal(snoozedAndCompleted());
    await this.told?.flush();
    try {
      const { value, completion, finishedAt } = await runTransaction((transaction, handle = transaction) =>
        this.runAndComplete(() => this.calls.ofHandler(() => work(handle as never)), transaction),
      );
      this.calls.completed();
      this.execution.committed(completion, finishedAt);
      return value;
    } finally {
      if (!this.committed) this.calls.reopen();
    }
  }

  private get calls(): ExecutionCalls {
    return (this.ownCalls ??= new ExecutionCalls(this.execution));
  }

  private get checkpointOfThis(): ExecutionCheckpoint {
    return (this.checkpoints ??= new ExecutionCheckpoint(this.execution, this.ports.effects));
  }

  private newLogger(): TaskLogger {
    const { task, type } = this.execution;
    const { id, attempt, fence } = task;
    return this.ports.loggerOf?.({ id, type: type.type, attempt, fence }) ?? SILENT_LOGGER;
  }

  private async runAndComplete<T>(
    work: () => Promise<T>,
    transaction: CallerTransaction,
  ): Promise<{ value: T; completion: Completion; finishedAt: EpochMs }> {
    const { id, owner, fence, timeoutMs } = this.execution.task;
    await this.ports.tasks.beginWithin({ id, owner, fence, timeoutMs }, transaction);
    // A listener for an abort that has been there before hears nothing any more.
    requireKept(this.execution, "transaction");
    const value = await work();
    await this.calls.complete();
    requireKept(this.execution, "transaction");
    this.results.requireSuccess(value);
    const result = resultTextIfJson(value, this.results.limitBytes);
    const { member } = this.execution.task;
    const completion: Completion = {
      id,
      owner,
      fence,
      startedAt: this.execution.startedAt,
      latenessParts: this.execution.latenessParts,
      result,
      ...(member && { isMember: true }),
      isBegun: true,
      ...(this.spawned && { spawned: this.spawned }),
      ...(this.execution.isForgotten && { isForgotten: true }),
    };
    // The guard is this write, last in the transaction: an execution that was superseded meanwhile rolls its effects
    // back.
    const finishedAt = await this.ports.tasks.completeWithin(completion, transaction);
    this.calls.requireNoRefusal();
    if (finishedAt !== null) return { value, completion, finishedAt };
    throw new TickwheelError("LEASE_LOST", "The task is no longer this execution's; its transaction is rolled back.");
  }
}

function checkpointOfWalk(): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", "ctx.walk keeps its place in the checkpoint: it is not yours here.");
}
