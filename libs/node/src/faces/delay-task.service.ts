import { type CallerTransaction, type Json, type Task } from "@tickwheel/core";
import type { ServiceStats } from "@tickwheel/engine";
import {
  asDate,
  askedTasksIn,
  type AtMostOne,
  type Caller,
  callOf,
  type CancelledItem,
  type CancelledTask,
  eachOf,
  type FieldsGivenTo,
  type GivenTo,
  inputOfCall,
  joinedTransaction,
  type JournalEntryView,
  type JournalInput,
  journalInput,
  lastingInput,
  type ManagerOption,
  readCall,
  requireInput,
  type RetriedItem,
  TaskCalls,
  type TaskChangesInput,
  type TaskDefinition,
  type TaskDetails,
  type TaskFilterInput,
  type TaskItem,
  type TaskItemResult,
  type TaskOptions,
  type TaskResult,
  type TaskView,
  toBecauseView,
  toJournalView,
  toReportView,
  typeOf,
} from "@tickwheel/calls";
import { applicationOf, shownTask } from "./code-face.js";
import { DelayBatches } from "./delay-batches.js";
import { DelayDeadLetters } from "./delay-dead-letters.js";
import { DelayOperations } from "./delay-operations.js";
import { DelaySchedules } from "./delay-schedules.js";
import { DelayKeys, DelayNamespace, DelayTypes } from "./delay-settings.js";
import type { DelayTaskNode } from "../node/delay-task.node.js";
/** A page of a list of tasks. `incomplete`: the budget of rows and time ended the look before the page was full. */
export interface FoundTasks<Payload = Json> {
  items: TaskView<Payload>[];
  /** Give it as `after` to go on; null: that was all. */
  next: string | null;
  incomplete: boolean;
}
/** What may be changed of a scheduled task from code. */
export type TaskChanges<Payload = Json | object> = OtherChanges<Payload> &
  AtMostOne<TaskChangesInput, "delay" | "scheduledAt">;

interface OtherChanges<Payload> extends Omit<TaskChangesInput, "payload" | "delay" | "scheduledAt"> {
  /** In place of the present one. */
  payload?: Payload | undefined;
}
/** Counts and lateness of the application's namespace; `wheel` is this node's. */
export type TaskStatsView = Omit<ServiceStats, "countedAt"> & { countedAt: Date };

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
export class DelayTaskService {
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

  private readonly calls: TaskCalls;
  private readonly caller: Caller;

  constructor(private readonly node: DelayTaskNode) {
    this.calls = new TaskCalls(node);
    this.caller = applicationOf(node);
    this.schedules = new DelaySchedules(node);
    this.batches = new DelayBatches(node);
    this.operations = new DelayOperations(node);
    this.deadLetters = new DelayDeadLetters(node);
    this.types = new DelayTypes(node);
    this.keys = new DelayKeys(node);
    this.namespace = new DelayNamespace(node);
  }

  /**
   * Schedules one task.
   *
   * @throws TickwheelError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE` (also what a merge would come to),
   *   `TASK_KEY_CONFLICT` (policy `reject`), `MERGE_CONFLICT` (policy `merge`), `TYPE_DELIVERY_CONFLICT`,
   *   `IDEMPOTENCY_KEY_REUSED`, `STORE_UNAVAILABLE`
   */
  async schedule<Task extends string | TaskDefinition<unknown>, Given>(
    task: Task,
    payload: GivenTo<Task, Given>,
    options: TaskOptions<NoInfer<FieldsGivenTo<Task, Given>>> = {},
  ): Promise<TaskResult> {
    let joins: ManagerOption["manager"];
    const given = readCall(() => {
      const { manager, ...fields } = options;
      joins = manager;
      return inputOfCall(fields, task, payload);
    });
    const result = await this.calls.create(this.caller, given, this.joined({ manager: joins }));
    return { ...result, task: this.view(result.task) };
  }

  /**
   * Schedules many tasks; one bad item does not stop the rest. Answers in the order given. What is given is read at the
   * call, all else is done in turns of some milliseconds, so that thousands of tasks do not keep the application from
   * its other work.
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
   */
  async cancel(id: string, options: ManagerOption = {}): Promise<CancelledTask> {
    return this.shownCancel(await this.calls.cancel(this.caller, { id }, this.joined(options)));
  }

  /** Cancels the live task of a key. */
  async cancelByKey(task: AnyTask, key: string, options: ManagerOption = {}): Promise<CancelledTask> {
    return this.shownCancel(await this.calls.cancel(this.caller, { type: typeOf(task), key }, this.joined(options)));
  }

  /**
   * Cancels tasks by their ids, at most 1,000. Answers in the order given. If the store fails on the way, the call
   * throws and some are cancelled: make it again.
   */
  async cancelMany(ids: readonly string[], options: ManagerOption = {}): Promise<CancelledItem[]> {
    const items = await this.calls.cancelMany(this.caller, { ids }, this.joined(options));
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
    const found = await this.calls.get(this.caller, id, this.joined(options));
    if (!found || (definition !== null && definition.type !== found.task.type)) return null;
    const { task, report, because } = found;
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
    const asked = askedTasksIn(definition === null ? filter : { ...filter, type: definition.type });
    const { tasks, next, incomplete } = await this.calls.find(this.caller, asked, this.joined(options));
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
    const found = await this.calls.journal(this.caller, id, requireInput(journalInput, page));
    return found && { items: toJournalView(found.entries, asDate), next: found.next };
  }

  /** Counts and lateness of the application's namespace, at most a second old. */
  async stats(): Promise<TaskStatsView> {
    const stats = await this.calls.stats(this.caller);
    return { ...stats, countedAt: asDate(stats.countedAt) };
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

  private joined(options: ManagerOption): { within: CallerTransaction | undefined } {
    return { within: joinedTransaction(options, this.node.options) };
  }

  private shownCancel({ outcome, task }: CancelledTask<Task>): CancelledTask {
    return task ? { outcome, task: this.view(task) } : { outcome };
  }

  private view<Payload = Json>(task: Task): TaskView<Payload> {
    return shownTask<Payload>(task, this.node);
  }
}

/** A task's type, or its definition. */
type AnyTask = string | TaskDefinition<unknown>;
