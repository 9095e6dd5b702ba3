import { type Json, type Task } from "@tickwheel/core";
import {
  type CancelledItem,
  type CancelledTask,
  type CancelOptions,
  eachOf,
  type FieldsGivenTo,
  type GivenTo,
  inputOfCall,
  lastingInput,
  type ManagerOption,
  readCall,
  requireInput,
  type RetriedItem,
  type TaskDefinition,
  type TaskItem,
  type TaskItemResult,
  type TaskOptions,
  type TaskView,
  typeOf,
  waitInput,
} from "@tickwheel/calls";
import { DelayApiKeys } from "./delay-api-keys.js";
import { DelayBatches } from "./delay-batches.js";
import { DelayDeadLetters } from "./delay-dead-letters.js";
import { DelayOperations } from "./delay-operations.js";
import { DelaySchedules } from "./delay-schedules.js";
import { DelayKeys, DelayNamespace, DelayTypes } from "./delay-settings.js";
import { ScheduledTask } from "./scheduled-task.js";
import type { AnyTask, AwaitedTaskOptions, SeriesOptions, TagOptions, TaskChanges, TaskEnd } from "./task-shapes.js";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { DelayTaskReads } from "./delay-task-reads.js";

/**
 * Schedules, cancels and looks up delayed tasks from anywhere in an application. Expected outcomes are values; bad
 * input is a `TickwheelError` `VALIDATION_FAILED` that names every fault.
 *
 * @example
 * await dataSource.transaction(async (manager) => {
 *   await manager.save(order);
 *   await delayTasks.schedule(CancelOrder, { orderId: order.id }, { delay: "15m", key: order.id, manager });
 * });
 */
export class DelayTaskService extends DelayTaskReads {
  /** Tasks that come again: cron, rates, delays. */
  readonly schedules: DelaySchedules;
  /** Tasks that belong together, and what happens when all of them have ended. */
  readonly batches: DelayBatches;
  /** One thing done to many tasks: tried dry, on hold, undone. */
  readonly operations: DelayOperations;
  /** Dead tasks by cause. */
  readonly deadLetters: DelayDeadLetters;
  /** Pauses of types, and what is set of them at run time. */
  readonly types: DelayTypes;
  /** Pauses of keys. */
  readonly keys: DelayKeys;
  /** The pause of the application's namespace. */
  readonly namespace: DelayNamespace;
  /** The keys that REST and GraphQL are called with. */
  readonly apiKeys: DelayApiKeys;

  constructor(node: DelayTaskNode) {
    super(node);
    this.schedules = new DelaySchedules(node);
    this.batches = new DelayBatches(node);
    this.operations = new DelayOperations(node);
    this.deadLetters = new DelayDeadLetters(node);
    this.types = new DelayTypes(node);
    this.keys = new DelayKeys(node);
    this.namespace = new DelayNamespace(node);
    this.apiKeys = new DelayApiKeys(node);
  }

  /**
   * Schedules one task.
   *
   * @returns what became of the call, with the task; its `result` waits for the task's end
   * @throws TickwheelError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE` (also what a merge would come to),
   *   `TASK_KEY_CONFLICT` (policy `reject`), `MERGE_CONFLICT` (policy `merge`), `TYPE_DELIVERY_CONFLICT`,
   *   `IDEMPOTENCY_KEY_REUSED`, `STORE_UNAVAILABLE`
   */
  async schedule<Task extends string | TaskDefinition<unknown>, Given>(
    task: Task,
    payload: GivenTo<Task, Given>,
    options: TaskOptions<NoInfer<FieldsGivenTo<Task, Given>>> = {},
  ): Promise<ScheduledTask> {
    let joins: ManagerOption["manager"];
    const given = readCall(() => {
      const { manager, ...fields } = options;
      joins = manager;
      return inputOfCall(fields, task, payload);
    });
    const created = await this.calls.create(this.caller, given, this.joined({ manager: joins }));
    const shown = { ...created, task: this.view<Json>(created.task) };
    return new ScheduledTask(shown, (wait) => this.result(shown.task.id, wait));
  }

  /**
   * Schedules one task and waits until it has ended: a result within a request.
   *
   * @example
   * const end = await delayTasks.scheduleAndWait(PriceCart, { cartId }, { wait: "5s" });
   * if (end.outcome === "succeeded") return { total: end.result };
   * return { later: end.id };
   *
   * @param options those of a task but for `manager`, and how long to wait
   * @returns how it has ended; `pending` with its id where the time was over
   * @throws TickwheelError as `schedule` and {@link result} do
   */
  async scheduleAndWait<Task extends string | TaskDefinition<unknown>, Given>(
    task: Task,
    payload: GivenTo<Task, Given>,
    options: AwaitedTaskOptions<NoInfer<FieldsGivenTo<Task, Given>>> = {},
  ): Promise<TaskEnd> {
    const { wait: timeout, signal, ...fields } = options as AwaitedTaskOptions;
    requireInput(waitInput, { wait: timeout });
    const scheduled = await this.schedule(task, payload, fields as never);
    return scheduled.result({ timeout, signal });
  }

  /**
   * Schedules a series: the same task several times, such as a reminder after a day, three and seven. The whole series
   * has one key: `cancelByKey`, `pauseByKey` and a create with the same key mean what is still to come of it.
   *
   * One of its tasks waits at a time. Each makes the next one when it starts, before its handler is called: one that
   * fails, dies or takes long holds up no other, and one cancel ends the series. A task that has started goes on.
   *
   * @example
   * await delayTasks.scheduleSeries(Remind, { orderId }, { at: ["1d", "3d", "7d"], key: orderId, manager });
   * await delayTasks.cancelByKey(Remind, orderId); // the buyer has come back
   * @returns what became of the call, with the first task; its `later` has the others
   * @throws TickwheelError `VALIDATION_FAILED` with every fault; `TASK_KEY_CONFLICT` (policy `reject`)
   */
  async scheduleSeries<Task extends string | TaskDefinition<unknown>, Given>(
    task: Task,
    payload: GivenTo<Task, Given>,
    options: SeriesOptions,
  ): Promise<ScheduledTask> {
    const { manager, ...fields } = options;
    const given = readCall(() => inputOfCall(fields, task, payload));
    const created = await this.calls.createSeries(this.caller, given, this.joined({ manager }));
    const shown = { ...created, task: this.view<Json>(created.task) };
    return new ScheduledTask(shown, (wait) => this.result(shown.task.id, wait));
  }

  /**
   * Schedules many tasks; one bad item does not stop the rest. Answers in the order given. The given tasks are read at
   * the call, all else is done in turns of some milliseconds, so that thousands of tasks do not keep the application
   * from its other work.
   *
   * @param options `idempotencyKey`: of several calls with the same one within 24 h the first is done, and the others
   *   get its answer; default: none
   */
  async scheduleMany<Payloads extends readonly (Json | object)[]>(
    items: { readonly [Index in keyof Payloads]: TaskItem<Payloads[Index]> },
    options: ManagerOption & { idempotencyKey?: string } = {},
  ): Promise<TaskItemResult[]> {
    const inputs = items.map((item) =>
      readCall(() => {
        const { task, payload, ...fields } = item;
        return lastingInput(inputOfCall(fields, task, payload));
      }),
    );
    const call = { ...this.joined(options), idempotencyKey: options.idempotencyKey };
    const { items: results } = await this.calls.createMany(this.caller, inputs, call);
    return eachOf(results, (item) => (item.status === "rejected" ? item : { ...item, task: this.view(item.task) }));
  }

  /**
   * Cancels a task. `cancel_requested`: it is running, its signal aborts, and a handler that completes all the same
   * wins.
   *
   * @example await delayTasks.cancel(id, { returning: "id" }); // { outcome: "cancelled" }, without the task
   */
  async cancel(id: string, { returning, ...options }: CancelOptions = {}): Promise<CancelledTask> {
    const call = { ...this.joined(options), returning };
    return this.shownCancel(await this.calls.cancel(this.caller, { id }, call));
  }

  /** Cancels the live task of a key. */
  async cancelByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<CancelledTask> {
    return this.shownCancel(await this.calls.cancel(this.caller, { type: typeOf(task), key }, this.joined(options)));
  }

  /**
   * Cancels tasks by their ids, at most 1,000. Answers in the order given. If the store fails on the way, the call
   * throws and some are cancelled: make it again.
   */
  async cancelMany(ids: readonly string[], { returning, ...options }: CancelOptions = {}): Promise<CancelledItem[]> {
    const items = await this.calls.cancelMany(this.caller, { ids }, { ...this.joined(options), returning });
    return items.map(({ id, ...cancelled }) => ({ id, ...this.shownCancel(cancelled) }));
  }

  /**
   * Cancels the live tasks of a tag, of any type or one, newest first: everything that waits for an order, say. In the
   * transaction of `manager` all are cancelled or none. Without one each is cancelled by itself: if the store fails on
   * the way, the call throws and some are cancelled; make it again.
   *
   * @example await delayTasks.cancelByTag(`order:${order.id}`, { manager });
   * @param options `type`: a type or a definition; default: any
   * @returns what became of each, newest first; empty: nothing live had the tag
   * @throws TickwheelError `VALIDATION_FAILED`: the tag has more than 1,000 live tasks, and none was cancelled; an
   *   operation cancels any number
   */
  async cancelByTag(tag: string, { type, ...options }: TagOptions = {}): Promise<CancelledItem[]> {
    const given = { tag, type: type && typeOf(type) };
    const items = await this.calls.cancelByTag(this.caller, given, this.joined(options));
    return items.map(({ id, ...cancelled }) => ({ id, ...this.shownCancel(cancelled) }));
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
    const { expectedVersion } = options;
    const call = { given: changes, expectedVersion, ...this.joined(options) };
    return this.view(await this.calls.edit(this.caller, id, call));
  }

  /**
   * Makes a scheduled task due now.
   *
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it is not scheduled; a paused one is resumed
   *   instead)
   */
  async runNow(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(await this.calls.runNow(this.caller, id, this.joined(options)));
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
    return this.view(await this.calls.pause(this.caller, { id }, this.joined(options)));
  }

  /** Pauses the live task of a key, as {@link pause} does. */
  async pauseByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(await this.calls.pause(this.caller, { type: typeOf(task), key }, this.joined(options)));
  }

  /**
   * Schedules a paused task again: it is due after what remained of its countdown. One that is scheduled already stays
   * as it is.
   *
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it runs, or has finished)
   */
  async resume(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(await this.calls.resume(this.caller, { id }, this.joined(options)));
  }

  /** Schedules the paused task of a key again, as {@link resume} does. */
  async resumeByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(await this.calls.resume(this.caller, { type: typeOf(task), key }, this.joined(options)));
  }

  /**
   * Schedules a terminal task again, due now, with a clean account.
   *
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it has not finished), `TASK_KEY_CONFLICT`
   */
  async retry(id: string, options: ManagerOption = {}): Promise<TaskView> {
    return this.view(await this.calls.retry(this.caller, id, this.joined(options)));
  }

  /**
   * Schedules terminal tasks again by their ids, at most 1,000. Answers in the order given. If the store fails on the
   * way, the call throws and some are scheduled: make it again.
   */
  async retryMany(ids: readonly string[], options: ManagerOption = {}): Promise<RetriedItem[]> {
    const items = await this.calls.retryMany(this.caller, { ids }, this.joined(options));
    return items.map(({ task, ...item }) => (task ? { ...item, task: this.view(task) } : item));
  }

  private shownCancel({ outcome, task }: CancelledTask<Task>): CancelledTask {
    return task ? { outcome, task: this.view(task) } : { outcome };
  }
}
