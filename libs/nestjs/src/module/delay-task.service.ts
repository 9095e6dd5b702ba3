import { Inject, Injectable } from "@nestjs/common";
import { type CallerTransaction, isTaskId, type Json, jsonValueOf, type Task, type TaskTarget } from "@tickwheel/core";
import type { BulkOptions, ServiceStats, TaskService } from "@tickwheel/engine";
import {
  asDate,
  bulkAnswers,
  type BulkCaller,
  BulkCheck,
  callOf,
  checkEdited,
  type CheckedItem,
  type CreateCall,
  createTraced,
  dueOf,
  eachOf,
  editedTask,
  endOfCreate,
  inParallel,
  inputOfCall,
  joinedTransaction,
  type JournalEntryView,
  type JournalInput,
  journalInput,
  lastingInput,
  type ManagerOption,
  noTask,
  pausedTask,
  readCall,
  requireInput,
  requireTask,
  resultOf,
  retriedTask,
  type TaskChangesInput,
  taskChangesInput,
  type TaskDefinition,
  type TaskDetails,
  taskFilterInput,
  type TaskFilterInput,
  taskIdsInput,
  type TaskItem,
  type TaskItemResult,
  taskKeyInput,
  type TaskOptions,
  type TaskView,
  toBecauseView,
  toJournalView,
  toReportView,
  toTaskView,
  typeOf,
  type TaskResult,
  type CancelledTask,
  type CancelledItem,
  type RetriedItem,
} from "@tickwheel/calls";
import { DelayBatches } from "./delay-batches.js";
import { DelaySchedules } from "./delay-schedules.js";
import { DelayTaskNode } from "../node/delay-task.node.js";
/** A page of a list of tasks. `incomplete`: the budget of rows and time ended the look before the page was full. */
export interface FoundTasks<Payload = Json> {
  items: TaskView<Payload>[];
  /** Give it as `after` to go on; null: that was all. */
  next: string | null;
  incomplete: boolean;
}
/** What may be changed of a scheduled task from code. */
export interface TaskChanges<Payload = Json | object> extends Omit<TaskChangesInput, "payload"> {
  /** In place of the present one. */
  payload?: Payload | undefined;
}
/** Counts and lateness of the application's namespace; `wheel` is this node's. */
export type TaskStatsView = Omit<ServiceStats, "countedAt"> & { countedAt: Date };

/**
 * Schedules, cancels and looks up delayed tasks from anywhere in a Nest application. Expected outcomes are values; bad
 * input is a `TickwheelError` `VALIDATION_FAILED` that names every fault.
 *
 * @example
 * await dataSource.transaction(async (manager) => {
 *   await manager.save(order);
 *   await delayTasks.schedule(CancelOrder, { orderId: order.id }, { delay: "15m", key: order.id, manager });
 * });
 */
@Injectable()
export class DelayTaskService {
  /** Tasks that come again: cron, rates, delays. */
  readonly schedules: DelaySchedules;
  /** Tasks that belong together, and what happens when all of them have ended. */
  readonly batches: DelayBatches;

  constructor(@Inject(DelayTaskNode) private readonly node: DelayTaskNode) {
    this.schedules = new DelaySchedules(node);
    this.batches = new DelayBatches(node);
  }

  /**
   * Schedules one task.
   *
   * @throws TickwheelError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE` (also what a merge would come to),
   *   `TASK_KEY_CONFLICT` (policy `reject`), `MERGE_CONFLICT` (policy `merge`), `TYPE_DELIVERY_CONFLICT`,
   *   `IDEMPOTENCY_KEY_REUSED`, `STORE_UNAVAILABLE`
   */
  async schedule<Payload extends Json | object>(
    task: string | TaskDefinition<unknown, Payload>,
    payload: NoInfer<Payload>,
    options: TaskOptions = {},
  ): Promise<TaskResult> {
    let joins: ManagerOption["manager"];
    const given = readCall(() => {
      const { manager, ...fields } = options;
      joins = manager;
      return inputOfCall(fields, task, payload);
    });
    const request = requireTask(given, this.caller);
    const within = this.joined({ manager: joins });
    const call = { tracing: this.node.tracing, namespace: this.namespace, requests: [request] };
    const result = await createTraced(call, () => this.tasks.schedule(request, { within }), endOfCreate);
    return { ...result, task: this.view(result.task) };
  }

  /**
   * Schedules many tasks; one bad item does not stop the rest. Answers in the order given. What is given is read at the
   * call, all else is done in turns of some milliseconds, so that thousands of tasks do not keep the application from
   * its other work.
   */
  async scheduleMany<Payloads extends readonly (Json | object)[]>(
    items: { readonly [Index in keyof Payloads]: TaskItem<Payloads[Index]> },
    options: ManagerOption = {},
  ): Promise<TaskItemResult[]> {
    const inputs = items.map((item) =>
      readCall(() => {
        const { task, payload, ...fields } = item;
        return lastingInput(inputOfCall(fields, task, payload));
      }),
    );
    const within = this.joined(options);
    const { namespace } = this;
    const check = new BulkCheck(this.caller);
    const checked = await eachOf(inputs, (input) => check.next(input));
    const { items: results } = await this.scheduleChecked(checked, { namespace, within });
    return eachOf(results, (item) => (item.status === "rejected" ? item : { ...item, task: this.view(item.task) }));
  }

  /** As `scheduleMany`, for items of any namespace that were checked before: what REST and GraphQL call. */
  async scheduleChecked(
    items: readonly CheckedItem[],
    { namespace, headers, ...options }: BulkOptions & Pick<CreateCall, "namespace" | "headers">,
  ): Promise<{ items: TaskItemResult<Task>[]; replayed: boolean }> {
    const requests = items.flatMap((item) => ("request" in item ? [item.request] : []));
    const call = { tracing: this.node.tracing, namespace, requests, count: requests.length, headers };
    const write = () => this.tasks.scheduleMany(namespace, requests, options);
    const { results, replayed } = await createTraced(call, write);
    return { items: bulkAnswers(items, results), replayed };
  }

  /**
   * Cancels a task. `cancel_requested`: it is running, its signal aborts, and a handler that completes all the same
   * wins.
   */
  async cancel(id: string, options: ManagerOption = {}): Promise<CancelledTask> {
    if (!isTaskId(id)) return { outcome: "not_found" };
    return this.cancelTarget({ namespace: this.namespace, id: id.toLowerCase() }, options);
  }

  /** Cancels the live task of a key. */
  async cancelByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<CancelledTask> {
    return this.cancelTarget(this.keyTarget(task, key), options);
  }

  /**
   * Cancels tasks by their ids, at most 1,000. Answers in the order given. If the store fails on the way, the call
   * throws and some are cancelled: make it again.
   */
  async cancelMany(ids: readonly string[], options: ManagerOption = {}): Promise<CancelledItem[]> {
    const { ids: checked } = requireInput(taskIdsInput, { ids });
    return inParallel(checked, options, async (id) => ({ id, ...(await this.cancel(id, options)) }));
  }

  /**
   * Moves or edits a task that waits. A paused one stays paused: a new due time is a new countdown.
   *
   * @example await delayTasks.reschedule<InputOf<typeof CancelOrder>>(id, { delay: "30m", payload: { orderId: "42" } })
   * @returns the task as it is now
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it runs, or has finished), `VERSION_MISMATCH`,
   *   `VALIDATION_FAILED`
   */
  async reschedule<Payload extends Json | object>(
    id: string,
    changes: TaskChanges<Payload>,
    options: ManagerOption & { expectedVersion?: number } = {},
  ): Promise<TaskView> {
    const input = requireInput(taskChangesInput, changes);
    const { payload, priority, maxAttempts } = input;
    const { expectedVersion = null } = options;
    const within = this.joined(options);
    const payloadVersion =
      payload === undefined ? null : await checkEdited(this.node, { ...this.targetOf(id), payload }, within);
    const wanted = {
      due: dueOf(input),
      payload,
      payloadVersion,
      priority: priority ?? undefined,
      maxAttempts: maxAttempts ?? undefined,
    };
    const request = { ...this.targetOf(id), expectedVersion, changes: wanted };
    return this.view(editedTask(await this.tasks.edit(request, { within }), id));
  }

  /**
   * Makes a scheduled task due now.
   *
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it is not scheduled; a paused one is resumed
   *   instead)
   */
  async runNow(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(editedTask(await this.tasks.runNow(this.targetOf(id), { within: this.joined(options) }), id));
  }

  /**
   * Pauses a scheduled task: its countdown stands still. It does not run, does not expire and keeps its key until it is
   * resumed. One that is paused already stays as it is.
   *
   * @example await delayTasks.pause(deadline.id); // the customer is to answer first
   * @returns the task, `paused`, with `remainingMs`
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it runs, has finished, or belongs to a schedule)
   */
  async pause(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.pauseOrResume("pause", this.targetOf(id), options);
  }

  /** Pauses the live task of a key, as {@link pause} does. */
  async pauseByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.pauseOrResume("pause", this.keyTarget(task, key), options);
  }

  /**
   * Schedules a paused task again: it is due after what remained of its countdown. One that is scheduled already stays
   * as it is.
   *
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it runs, or has finished)
   */
  async resume(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.pauseOrResume("resume", this.targetOf(id), options);
  }

  /** Schedules the paused task of a key again, as {@link resume} does. */
  async resumeByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.pauseOrResume("resume", this.keyTarget(task, key), options);
  }

  /**
   * The task with its checkpoint and progress, or null. Of a definition it is one of that type, with its payload's
   * type. Checkpoint and progress are as they are committed, also where the task is read in a transaction.
   */
  get(id: string, options?: ManagerOption): Promise<TaskDetails | null>;
  get<Payload>(
    task: TaskDefinition<unknown, Payload>,
    id: string,
    options?: ManagerOption,
  ): Promise<TaskDetails<Payload> | null>;
  async get(...parameters: readonly unknown[]): Promise<TaskDetails<never> | null> {
    const [definition, id, options = {}] = callOf<string>(parameters);
    if (!isTaskId(id)) return null;
    const task = await this.tasks.get(this.namespace, id.toLowerCase(), { within: this.joined(options) });
    if (!task || (definition !== null && definition.type !== task.type)) return null;
    const [report, because] = await Promise.all([
      this.node.reports.readReport(task.id, task.namespace),
      this.tasks.because(task),
    ]);
    return { ...this.view<never>(task), ...toReportView(report, asDate), ...toBecauseView(because, asDate) };
  }

  /**
   * Tasks of this application's namespace, newest first, in pages, which end with the task that reaches 2 MiB
   * (`maxBytes`). Of a definition they are of that type, with its payload's type. `incomplete`: the budget of rows and
   * time ended the look before the page was full; go on with `after: next`.
   *
   * @example await delayTasks.find(CancelOrder, { key: "42", states: ["dead"] })
   * @param filter all of it must hold; `limit` 1 … 200, default 50
   * @throws TickwheelError `VALIDATION_FAILED` with every fault of the filter
   */
  find(filter?: TaskFilterInput, options?: ManagerOption): Promise<FoundTasks>;
  find<Payload>(
    task: TaskDefinition<unknown, Payload>,
    filter?: Omit<TaskFilterInput, "type">,
    options?: ManagerOption,
  ): Promise<FoundTasks<Payload>>;
  async find(...parameters: readonly unknown[]): Promise<FoundTasks<never>> {
    const [definition, filter = {}, options = {}] = callOf<TaskFilterInput | undefined>(parameters);
    const asked = requireInput(taskFilterInput, definition === null ? filter : { ...filter, type: definition.type });
    const filtered = { ...asked, namespace: this.namespace };
    const { tasks, next, incomplete } = await this.tasks.find(filtered, { within: this.joined(options) });
    return { items: tasks.map((task) => this.view<never>(task)), next, incomplete };
  }

  /**
   * What has happened to a task, oldest first, in pages; null: there is no such task.
   *
   * @param page `limit` 1 … 200, default 50; `after`: the `next` of the page before
   */
  async journal(
    id: string,
    page: JournalInput = {},
  ): Promise<{ items: JournalEntryView[]; next: number | null } | null> {
    const { limit, after } = requireInput(journalInput, page);
    if (!isTaskId(id)) return null;
    const found = await this.tasks.journal({ namespace: this.namespace, id: id.toLowerCase(), limit, after });
    return found && { items: toJournalView(found.entries, asDate), next: found.next };
  }

  /** Counts and lateness of the application's namespace, at most a second old. */
  async stats(): Promise<TaskStatsView> {
    const stats = await this.tasks.stats(this.namespace);
    return { ...stats, countedAt: asDate(stats.countedAt) };
  }

  /**
   * Schedules a terminal task again, due now, with a clean account.
   *
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it has not finished), `TASK_KEY_CONFLICT`
   */
  async retry(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(retriedTask(await this.tasks.retry(this.targetOf(id), { within: this.joined(options) }), id));
  }

  /**
   * Schedules terminal tasks again by their ids, at most 1,000. Answers in the order given. If the store fails on the
   * way, the call throws and some are scheduled: make it again.
   */
  async retryMany(ids: readonly string[], options: ManagerOption = {}): Promise<RetriedItem[]> {
    const { ids: checked } = requireInput(taskIdsInput, { ids });
    const within = this.joined(options);
    return inParallel(checked, options, async (id): Promise<RetriedItem> => {
      if (!isTaskId(id)) return { id, outcome: "not_found" };
      const reply = await this.tasks.retry(this.targetOf(id), { within });
      return { id, ...("task" in reply ? { outcome: reply.outcome, task: this.view(reply.task) } : reply) };
    });
  }

  private joined(options: ManagerOption): CallerTransaction | undefined {
    return joinedTransaction(options, this.node.options);
  }

  private get caller(): BulkCaller {
    return { namespace: this.namespace, actor: ACTOR, webhooks: this.node.options, payloads: this.node.payloads };
  }

  private get tasks(): TaskService {
    return this.node.service;
  }

  private get namespace(): string {
    return this.node.options.namespace;
  }

  /** @throws TickwheelError `TASK_NOT_FOUND`: no task can have this id */
  private targetOf(id: string): { namespace: string; id: string; actor: string } {
    if (!isTaskId(id)) throw noTask(id);
    return { namespace: this.namespace, id: id.toLowerCase(), actor: ACTOR };
  }

  private keyTarget(task: AnyTask, key: string): TaskTarget {
    const target = requireInput(taskKeyInput, { type: typeOf(task), key });
    return { namespace: this.namespace, type: target.type, key: target.key };
  }

  private async pauseOrResume(how: "pause" | "resume", target: TaskTarget, options: ManagerOption): Promise<TaskView> {
    const request = { target, actor: ACTOR };
    return this.view(pausedTask(how, await this.tasks[how](request, { within: this.joined(options) }), target));
  }

  private async cancelTarget(target: TaskTarget, options: ManagerOption): Promise<CancelledTask> {
    const reply = await this.tasks.cancel(target, ACTOR, { within: this.joined(options) });
    return reply.outcome === "not_found"
      ? { outcome: "not_found" }
      : { outcome: reply.outcome, task: this.view(reply.task) };
  }

  private view<Payload = Json>(task: Task): TaskView<Payload> {
    const payload = jsonValueOf(task.payload) as Payload;
    return toTaskView(
      task,
      { waitingFor: this.tasks.waitingFor(task), payload, result: resultOf(task.result) },
      asDate,
    );
  }
}

const ACTOR = "application";

/** A task's type, or its definition. */
type AnyTask = string | TaskDefinition<unknown>;
