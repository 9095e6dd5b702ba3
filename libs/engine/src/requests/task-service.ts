import {
  type Because,
  type BriefCancelReply,
  type CancelReply,
  type Clock,
  type CreateReply,
  type CreateRequest,
  type CreateResult,
  type EditReply,
  type EditRequest,
  type EpochMs,
  type Halts,
  type PauseReply,
  type PauseRequest,
  type JournalPage,
  type JournalRequest,
  type NewTask,
  type Random,
  type ReadOptions,
  type RetryReply,
  type RetryRequest,
  type ScheduledCancel,
  type Task,
  type TaskFilter,
  type TaskPage,
  type TaskStats,
  type TaskStore,
  type TaskTarget,
  TickwheelError,
  type TypeId,
  type TypePolicy,
} from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { WheelStats } from "../waiting/due-entries.js";
import { briefly, SharedRequests } from "./shared-requests.js";
import { itemOf, notSent, REFUSALS, rejected, rejectionOf } from "./rejections.js";
import { hintsAfterCommit } from "./hints-after-commit.js";
import { EndWaits } from "./end-waits.js";
import { PendingQuota } from "./pending-quota.js";
import { TaskDrafts, tasksAmong } from "./task-drafts.js";
import { StatsCache } from "../counting/stats-cache.js";
import { taskDefaults, type TaskDefaults, tooFar } from "./task-draft.js";
import type {
  BulkOptions,
  CallOptions,
  ClusterReport,
  BulkItemResult,
  TaskRequest,
  TaskResult,
  TypeDefaults,
  WaitingFor,
} from "./requests.js";
import type { Tallies } from "../counting/tallies.js";
import type { Announcer } from "./announcer.js";
import { bulkPartsOf } from "./bulk-parts.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { Explanations } from "./explanations.js";

/** What the service needs of its node. */
export interface TaskServiceParts extends Announcer {
  clock: Clock;
  random: Random;
  tasks: TaskStore;
  dbClock: DbClock;
  types: TypeDirectory;
  tallies: Tallies;
  /** Whether no time passes while a call waits. */
  standsStill: boolean;
  /** Scheduled tasks that a namespace may have; 0: any number. */
  pendingQuota: number;
  /** For a webhook without a time-out, if it is shorter than the default. */
  maxWebhookTimeoutMs: number;
  /** What this node's handler wants; for a type whose policy nobody has announced yet. */
  defaultsOf(namespace: string, type: string): TypeDefaults;
  ownership(): Ownership;
  /** Types of which nobody keeps cancelled tasks. */
  forgottenCancels(): readonly TypeId[];
  /** What keeps a due task from starting, whatever room there is. */
  haltsOf(task: Pick<Task, "typeId" | "key">): Halts;
  report(): Promise<ClusterReport>;
  /** This node's; all zero without the engine. */
  wheel(): WheelStats;
}

/** And the wheel of the node that was asked. */
export type ServiceStats = TaskStats & { wheel: WheelStats };

/**
 * Every use case of tasks, for all edges alike: REST, GraphQL and the application's own code; also where no tasks run.
 *
 * A write is acknowledged only after its commit; then the task's owner gets a hint (not with `within`: there the caller
 * commits, and the loaders find the task). Reads, cancel, edit and retry answer with the store's values; `schedule`
 * throws if nothing was written. On failure: `STORE_UNAVAILABLE` from any method; the outcome of the write is then
 * unknown.
 */
export class TaskService {
  private readonly shared: SharedRequests;
  /** Also used for members of batches. */
  readonly drafts: TaskDrafts;
  private readonly statsCache: StatsCache;
  /** Also asked for the occurrences of schedules. */
  readonly quota: PendingQuota;
  private readonly explanations: Explanations;
  readonly ends: EndWaits;

  constructor(private readonly parts: TaskServiceParts) {
    const { tallies, dbClock, clock, standsStill, pendingQuota: quota } = parts;
    this.shared = new SharedRequests(
      parts.tasks,
      { clock, standsStill, nowMs: () => dbClock.nowMs() },
      {
        cancelled: ({ typeId, finishedAt }) => tallies.cancelled(typeId, finishedAt ?? dbClock.nowMs()),
        doubted: (sentAt) => tallies.doubt(sentAt, dbClock.nowMs()),
        forgotten: () => parts.forgottenCancels(),
      },
    );
    this.drafts = new TaskDrafts(parts);
    this.statsCache = new StatsCache(clock, parts.tasks);
    this.ends = new EndWaits({ clock, tasks: parts.tasks, nowMs: () => dbClock.nowMs() });
    this.explanations = new Explanations(parts);
    this.quota = new PendingQuota({ clock, quota, stats: (namespace) => this.statsCache.get(namespace) });
  }

  /**
   * Writes a task.
   *
   * @throws TickwheelError `TASK_KEY_CONFLICT` (`details.existingId`), `MERGE_CONFLICT` (`details.existingId`,
   *   `details.path`), `PAYLOAD_TOO_LARGE` (what a merge comes to), `TYPE_DELIVERY_CONFLICT`, `IDEMPOTENCY_KEY_REUSED`,
   *   `VALIDATION_FAILED` (a time in more than 100 years, a type beyond the quota), `RATE_LIMITED` (a task beyond the
   *   quota of its namespace)
   * @example await service.schedule({ namespace: "default", type: "order.cancel", payload: jsonTextOf({ id: 7 }), due: { delayMs: 900_000 }, actor: "shop" })
   */
  async schedule(request: TaskRequest, options: CallOptions = {}): Promise<TaskResult> {
    const tasks = await this.drafts.draftEach([request]);
    const { namespace, idempotency = null } = request;
    const reply = await this.create({ namespace, tasks, idempotency }, options);
    const results = this.written(reply, options);
    const result = results[0]!;
    if (result.outcome === "rejected") throw rejectionOf(result);
    return { outcome: result.outcome, task: result.task, replayed: reply.kind === "replayed" };
  }

  /**
   * Writes many tasks of one namespace, up to 10,000 or 16 MiB of payloads in one transaction, more in several; each
   * item with an idempotency key of its own has a transaction of its own. An item that cannot be written does not stop
   * the rest. The results are in the order of the requests, each with its task as its transaction left it: a task that
   * a later item replaced is `cancelled`. If the store fails after some parts were written, their results stand; the
   * failed part and the later ones, which were not sent, are `rejected` with the reason. If the first part fails, the
   * call throws.
   *
   * @throws TickwheelError `IDEMPOTENCY_KEY_REUSED` where the whole batch's key was used with another body
   */
  async scheduleMany(
    namespace: string,
    requests: readonly TaskRequest[],
    options: BulkOptions = {},
  ): Promise<{ replayed: boolean; results: BulkItemResult[] }> {
    const together = requests.filter((request) => !request.idempotency);
    const { replayed, results } = await (options.idempotency
      ? this.scheduleTogether(namespace, together, options)
      : this.scheduleParts(namespace, together, options));
    const rest = results.values();
    const all: BulkItemResult[] = [];
    for (const request of requests)
      all.push(request.idempotency ? await this.scheduleItem(request, options) : rest.next().value!);
    return { replayed, results: all };
  }

  /**
   * Cancels by id, or by type and key the task that holds the key. For a running task it is a request: its signal is
   * aborted.
   */
  async cancel(target: TaskTarget, actor: string, { within }: CallOptions = {}): Promise<CancelReply> {
    const request = { target, actor };
    const reply = await (within ? this.parts.tasks.cancel(request, within) : this.shared.cancel(request));
    return within ? reply : this.tellCancel(reply);
  }

  /** {@link cancel} by id, answered without the task that is cancelled. */
  async cancelBriefly(request: ScheduledCancel, { within }: CallOptions = {}): Promise<BriefCancelReply> {
    if (within) return briefly(await this.cancel(request, request.actor, { within }));
    return this.tellCancel(await this.shared.cancelBriefly(request));
  }

  /**
   * Reschedules or edits a task that waits; a paused one stays so. @throws TickwheelError for a time that is too far
   */
  async edit(request: EditRequest, options: CallOptions = {}): Promise<EditReply> {
    if (request.changes.due) await this.requireNear(request.changes);
    const reply = await this.parts.tasks.edit(request, options.within);
    if (reply.outcome === "changed") this.publish([reply.task], options);
    return reply;
  }

  /** Makes a scheduled task due now. A paused one is refused: a caller who wants it to run resumes it. */
  runNow(task: Omit<EditRequest, "changes">, options: CallOptions = {}): Promise<EditReply> {
    return this.edit({ ...task, changes: { due: { delayMs: 0 } }, isForScheduledOnly: true }, options);
  }

  /** Pauses a scheduled task, named by its id or its key, until it is resumed. */
  async pause(request: PauseRequest, options: CallOptions = {}): Promise<PauseReply> {
    const reply = await this.parts.tasks.pause(request, options.within);
    if (reply.outcome === "changed" && !options.within) this.parts.forget(reply.task.id);
    return reply;
  }

  /** Schedules a paused task again, due after what remained of its countdown. */
  async resume(request: PauseRequest, options: CallOptions = {}): Promise<PauseReply> {
    const reply = await this.parts.tasks.resume(request, options.within);
    if (reply.outcome === "changed") this.publish([reply.task], options);
    return reply;
  }

  /** Schedules a terminal task again, due now, with its counters reset. */
  async retry(request: RetryRequest, options: CallOptions = {}): Promise<RetryReply> {
    const reply = await this.parts.tasks.retry(request, options.within);
    if (reply.outcome === "scheduled") this.publish([reply.task], options);
    return reply;
  }

  /** Null: there is no such task in this namespace. */
  get(namespace: string, id: string, options: ReadOptions = {}): Promise<Task | null> {
    return this.parts.tasks.get(namespace, id, options);
  }

  find(filter: TaskFilter, options: CallOptions = {}): Promise<TaskPage> {
    return this.parts.tasks.find(filter, options.within);
  }

  /** A page of the task's transitions, oldest first; null: there is no such task. */
  journal(request: JournalRequest): Promise<JournalPage | null> {
    return this.parts.tasks.journal(request);
  }

  /** Counts and lateness, at most a second old, and what this node's wheel holds. */
  async stats(namespace: string): Promise<ServiceStats> {
    return { ...(await this.statsCache.get(namespace)), wheel: this.parts.wheel() };
  }

  /**
   * The number of a type; null: no node announces it, and it has not had tasks or schedules lately. A type that another
   * node has made within the last second may not be known yet.
   */
  async typeIdOf(named: { namespace: string; type: string }): Promise<TypeId | null> {
    return (await this.parts.types.lookUp(named))?.id ?? null;
  }

  /** The name of a type by the number that a task has brought; null: it was dropped. */
  async typeNameOf(typeId: TypeId): Promise<string | null> {
    return (await this.parts.types.lookUpId(typeId))?.type ?? null;
  }

  /** What the cluster's nodes want for a type; undefined: nothing, or this node has not read it yet. */
  policyOf(named: { namespace: string; type: string }): TypePolicy | undefined {
    return this.parts.types.find(named)?.policy;
  }

  /** What a new task of the type gets where its creator says nothing, as far as this node knows. */
  defaultsOf(named: { namespace: string; type: string }): TaskDefaults {
    return taskDefaults(this.policyOf(named) ?? this.parts.defaultsOf(named.namespace, named.type));
  }

  /** The database's time as this node estimates it, in epoch milliseconds. */
  nowMs(): EpochMs {
    return Math.round(this.parts.dbClock.nowMs());
  }

  cluster(): Promise<ClusterReport> {
    return this.parts.report();
  }

  /** Why a task does not run; null if there is nothing to explain. */
  waitingFor(task: Task): WaitingFor | null {
    return this.explanations.waitingFor(task);
  }

  /** Why a task stands as it does. Reads the nodes' figures where a due task waits. */
  because(task: Task): Promise<Because> {
    return this.explanations.because(task);
  }

  /** Tells the nodes what became of it, and answers it. */
  private tellCancel<Reply extends CancelReply | BriefCancelReply>(reply: Reply): Reply {
    if (reply.outcome === "cancelled") this.parts.forget("task" in reply ? reply.task.id : reply.id);
    if (reply.outcome === "cancel_requested") this.parts.cancelRunning(reply.task);
    return reply;
  }

  private async requireNear(changes: EditRequest["changes"]): Promise<void> {
    await this.parts.dbClock.ensureSet();
    const refusal = tooFar(changes, this.parts.dbClock.nowMs());
    if (refusal) throw refusal;
  }

  private async scheduleItem(request: TaskRequest, options: CallOptions): Promise<BulkItemResult> {
    try {
      const { outcome, task } = await this.schedule(request, options);
      return { status: outcome, task };
    } catch (error) {
      if (error instanceof TickwheelError && REFUSALS.has(error.code)) return rejected(error);
      throw error;
    }
  }

  private async scheduleParts(
    namespace: string,
    requests: readonly TaskRequest[],
    options: CallOptions,
  ): Promise<{ replayed: boolean; results: BulkItemResult[] }> {
    const results: BulkItemResult[] = [];
    let unsent: TickwheelError | null = null;
    for (const part of bulkPartsOf(requests)) {
      try {
        if (unsent) throw unsent;
        for (const result of (await this.scheduleTogether(namespace, part, options)).results) results.push(result);
      } catch (error) {
        if (results.length === 0 || options.within || !(error instanceof TickwheelError)) throw error;
        for (const _ of part) results.push(rejected(error));
        unsent ??= notSent(error);
      }
    }
    return { replayed: false, results };
  }

  private async scheduleTogether(
    namespace: string,
    requests: readonly TaskRequest[],
    options: BulkOptions,
  ): Promise<{ replayed: boolean; results: BulkItemResult[] }> {
    const drafts = await this.drafts.draftAll(requests);
    const tasks = tasksAmong(drafts);
    const idempotency = options.idempotency ?? null;
    const reply: CreateReply =
      tasks.length === 0
        ? { kind: "written", results: [] }
        : await this.create({ namespace, tasks, idempotency, signal: options.signal }, options);
    return this.answerTo(drafts, reply, options);
  }

  /**
   * What is answered to a call that asked for these drafts, of which those that can be tasks were written. @throws
   * TickwheelError `IDEMPOTENCY_KEY_REUSED`
   */
  answerTo(
    drafts: readonly (NewTask | TickwheelError)[],
    reply: CreateReply,
    options: CallOptions,
  ): { replayed: boolean; results: BulkItemResult[] } {
    const written = this.written(reply, options).values();
    const results = drafts.map((draft) =>
      draft instanceof TickwheelError ? rejected(draft) : itemOf(written.next().value!),
    );
    return { replayed: reply.kind === "replayed", results };
  }

  private async create(request: CreateRequest, { within }: CallOptions): Promise<CreateReply> {
    await this.admit(request.namespace);
    return within ? this.parts.tasks.create(request, within) : this.shared.create(request);
  }

  private written(reply: CreateReply, options: CallOptions): CreateResult[] {
    if (reply.kind === "key_reused")
      throw new TickwheelError("IDEMPOTENCY_KEY_REUSED", "the idempotency key was used with another body");
    if (reply.kind === "written") this.announce(reply.results, options);
    return reply.results;
  }

  /** @throws TickwheelError `RATE_LIMITED` where the namespace has as many tasks as it may have */
  async admit(namespace: string): Promise<void> {
    // Each create comes here: without a quota it waits for nothing.
    if (this.parts.pendingQuota > 0) await this.quota.admit(namespace);
  }

  /**
   * Counts what a create has written, and sends the messages of one that is committed: hints to the owners of due
   * tasks, cancels to the nodes of interrupted ones.
   */
  announce(results: readonly CreateResult[], options: CallOptions): void {
    const changed = new Map<string, Task>();
    for (const result of results) {
      if (result.outcome === "rejected" || result.outcome === "existing") continue;
      changed.set(result.task.id, result.task);
      const isNew = result.outcome === "created" || result.outcome === "replaced";
      if (isNew) this.parts.tallies.created(result.task.typeId);
      if (result.outcome === "created") this.quota.created(result.task.namespace);
    }
    this.publish([...changed.values()], options);
    if (options.within) return;
    for (const result of results)
      if (result.outcome !== "rejected" && result.interrupted) this.parts.cancelRunning(result.interrupted);
  }

  private publish(tasks: readonly Task[], options: CallOptions): void {
    const hints = hintsAfterCommit(tasks, options);
    if (hints.length > 0) this.parts.publish(hints);
  }
}
