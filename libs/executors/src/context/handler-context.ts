import type { DurationInput, CallerTransaction, Shard } from "@tickwheel/core";
import type { SpawnedTask } from "./execution-spawns.js";
import type { TaskLogger } from "./task-logger.js";

/**
 * What a handler gets beside its task.
 *
 * An attempt succeeds with all that its handler has asked for, or not at all: it ends after the calls that the handler
 * has begun, awaited or not, and fails where one of those fails, or where a call was refused for another's sake.
 */
export interface HandlerContext<Transaction = CallerTransaction> {
  /**
   * Aborts on time-out, cancel, lost lease and drain. A handler that stops then loses nothing; one that goes on can
   * settle nothing: each call that leaves something behind throws `LEASE_LOST`. On a drain `checkpoint` still stores.
   */
  readonly signal: AbortSignal;
  /**
   * 1 for the first attempt. One that a crash, a release or a snooze ended does not count: the next has the same number
   * and a higher `fence`.
   */
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
  snooze(delay: DurationInput): void;
  /**
   * Puts the task off as {@link snooze} does, and pauses its type for as long, on all nodes: for a provider that says
   * "slow down". Running tasks go on, and each of these may defer once more: the latest end counts, and a pause that
   * ends later, by any caller, stays. Nodes obey within milliseconds, at most some seconds. People see who paused the
   * type and why, and may resume it.
   *
   * @param delay milliseconds, or a text such as `"5m"`; 100 ms to 1 h
   * @param options `reason`: what people are told, up to 1,000 characters; default nothing
   * @throws TickwheelError `VALIDATION_FAILED`: the delay or the reason is none
   * @example if (answer.status === 429) return ctx.defer("30s", { reason: "the bank asks us to slow down" });
   */
  defer(delay: DurationInput, options?: { reason?: string | null }): void;
  /**
   * Runs `work` in a transaction that also completes the task: its effects happen exactly once in this database,
   * whatever dies when. `work` may return anything: JSON is the task's result, what has none (a cycle, a BigInt, a
   * function) is no result. At most one per execution, and alone: it begins when no other call of the context is under
   * way, and until it has ended none but `spawn`, `progress` and `lastCheckpoint` may begin. A call that is refused has
   * done nothing; the attempt fails then, and nothing of this transaction is kept.
   *
   * The session carries the task's name meanwhile (`application_name`, see docs/reliability.md): a leader that declares
   * this node dead ends it, so that its locks hold up nobody. The server ends it too when it has done nothing for
   * longer than the task's time-out.
   *
   * @throws TickwheelError `LEASE_LOST` (all is rolled back) when this execution is no longer the task's;
   *   `RESULT_INVALID` (rolled back, too) when what `work` returns is over `resultLimitBytes` or 1,000 levels;
   *   `TRANSACTION_UNAVAILABLE` without the application's own database, where a statement of it has failed before, or
   *   where `work` has ended it by hand (COMMIT, ROLLBACK); `TRANSACTION_UNDER_WAY` beside another call,
   *   and of a call beside this; `TRANSACTION_ALREADY_COMMITTED` on a second call
   * @example await ctx.transaction((manager) => manager.update(Order, { id, status: "unpaid" }, { status: "cancelled" }))
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs a step of the handler exactly once for the task: `work` in a transaction that also stores its result under
   * this name. A later call of the same name answers the stored result and does not run `work`: in this attempt, in a
   * later one after a failure, a crash or a release, and after an explicit retry. Any number of steps may run in one
   * attempt, up to 100 per task; none of them completes the task.
   *
   * The answer is always what the stored JSON says: a Date comes as its text, and what has no JSON comes as null. Two
   * calls of the same name at once share one run, so a step must not call itself. The session is marked as that of
   * {@link transaction}. The task's row is locked last, and only until the commit.
   *
   * @param name 1 to 128 characters, its own for each step; of a step in a loop it names the item, too
   * @throws TickwheelError `LEASE_LOST` (the step is rolled back) when this execution is no longer the task's;
   *   `RESULT_INVALID` (rolled back, too) when what `work` returns is over `resultLimitBytes` or 1,000 levels;
   *   `VALIDATION_FAILED`: the name is none, or the task has 100 steps; `TRANSACTION_UNAVAILABLE` without the
   *   application's own database; `TRANSACTION_UNDER_WAY` beside `transaction`, `TRANSACTION_ALREADY_COMMITTED` once it
   *   has completed the task
   * @example const { receipt } = await ctx.once("book", (manager) => book(manager, orderId));
   */
  once<T>(name: string, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Walks through a table, page by page, each page exactly once for the task: `step` gets where its page begins, does
   * the page in a transaction of its own, and answers where the next one begins, which that transaction also stores.
   * The first page gets null; null as the answer ends the walk. After a failure, a crash, a release and an explicit
   * retry the next attempt goes on behind the last page that was committed, and does nothing where the walk has ended.
   *
   * What a page gets is always what the stored JSON says: a Date comes as its text. The place is kept as the task's
   * checkpoint: {@link lastCheckpoint} and the task's page show `{ walk: { from: 2000 } }`, or `{ walk: { done: true }
   * }` at the end. So a task has one walk, and no {@link checkpoint} beside it. Before each page the signal is looked
   * at. The session is marked as that of {@link transaction}; the task's row is locked last, and only until the commit.
   *
   * @param step answers JSON of at most 64 KiB and 1,000 levels that is not where it began; it should be bounded, since
   *   its transaction holds a connection and the locks of what it has written
   * @throws TickwheelError `LEASE_LOST` (the page is rolled back) when this execution is no longer the task's;
   *   `VALIDATION_FAILED`: the answer has no JSON, or too much of it, or is where the page began (rolled back, too);
   *   the task has a checkpoint of {@link checkpoint}; or the walk is under way or over in this attempt;
   *   `TRANSACTION_UNAVAILABLE` without the application's own database; `TRANSACTION_UNDER_WAY` beside `transaction`,
   *   `TRANSACTION_ALREADY_COMMITTED` once it has completed the task; `STORE_UNAVAILABLE`: where the walk stands cannot
   *   be read. And what `step` throws: its page is rolled back
   * @example
   *   await ctx.walk<number>(async (from, manager) => {
   *     const page = await manager.find(Order, { where: { id: MoreThan(from ?? 0) }, order: { id: "ASC" }, take: 500 });
   *     await settle(page, manager);
   *     return page.at(-1)?.id ?? null;
   *   });
   */
  walk<From>(step: (from: From | null, transaction: Transaction) => Promise<From | null>): Promise<void>;
  /**
   * Stores how far the handler has come, in place of the checkpoint before, and resolves once it is stored. The next
   * attempt gets it by {@link lastCheckpoint}: after a failure, a crash, a release and an explicit retry. It needs no
   * database of the application's, and is no part of any transaction: what a handler did since its last checkpoint may
   * be done again. It does not go together with {@link walk}, which keeps its own place there.
   *
   * @param state JSON of at most 64 KiB and 1,000 levels
   * @throws TickwheelError `LEASE_LOST` (nothing is stored) when this execution is no longer the task's;
   *   `VALIDATION_FAILED`: the state has no JSON, or too much of it, or the handler has called {@link walk};
   *   `TRANSACTION_UNDER_WAY` beside `transaction`, `TRANSACTION_ALREADY_COMMITTED` once it has completed the task;
   *   `STORE_UNAVAILABLE`: it may or may not be stored
   * @example await ctx.checkpoint({ nextRow: 2_000 });
   */
  checkpoint(state: unknown): Promise<void>;
  /**
   * The task's latest checkpoint, of whatever attempt; null: there is none. The first call of an attempt asks the
   * database, later ones do not. Each call answers a copy of its own.
   *
   * @throws TickwheelError `STORE_UNAVAILABLE`; the next call asks again
   * @example const { nextRow } = (await ctx.lastCheckpoint<{ nextRow: number }>()) ?? { nextRow: 0 };
   */
  lastCheckpoint<T = unknown>(): Promise<T | null>;
  /**
   * Tells people how far the handler has come. It may be called as often as the handler likes: at most one write a
   * second reaches the database, the last value wins, and the last one is written before the attempt ends. A write that
   * fails is left out, and so is all that is told once the signal has fired.
   *
   * @param value 0 to 1
   * @param note at most 256 characters; default none
   * @throws TickwheelError `VALIDATION_FAILED`
   * @example ctx.progress(0.4, "2,000 of 5,000");
   */
  progress(value: number, note?: string | null): void;
  /** The batch that the task is a member of, or that made it at its end; null: neither. */
  readonly batchId: string | null;
  /** The task's place in a batch that was split into shards: `index` of 0 … `total` − 1; null: it was not. */
  readonly shard: Shard | null;
  /**
   * Makes tasks that are written when this one ends well, in the same statement: all of them, or none if the attempt
   * fails, crashes or is taken over. So nothing is spawned twice, and nothing of a failed attempt. Where the task is a
   * member of a batch they are members of it, too: the batch does not complete in between. With `transaction` call it
   * before that, or within.
   *
   * @param tasks as those of `scheduleMany`, without keys; at most 1,000 and 1 MiB of payloads for each execution
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, and nothing of this call is spawned;
   *   `TRANSACTION_ALREADY_COMMITTED` once `transaction` has completed the task
   * @example await ctx.spawn(splitRange(day, { size: 1_000 }).map((range) => ({ task: SettleRange, payload: range })));
   */
  spawn(tasks: readonly SpawnedTask[]): Promise<void>;
  /** Writes to the application's log, with the task's id and type, the attempt and the fence as fields of each line. */
  readonly logger: TaskLogger;
}
