import { Inject, Injectable } from "@nestjs/common";
import {
  type CallerTransaction,
  type CreateOutcome,
  inTurns,
  isTaskId,
  type Json,
  jsonValueOf,
  shownText,
  type Task,
  TickwheelError,
} from "@tickwheel/core";
import type { ScheduleManyOptions, ScheduleManyResult, TaskService } from "@tickwheel/engine";
import { BulkCheck, type CheckedItem, type ItemRejection } from "../requests/bulk-check.js";
import type { TaskDefinition } from "../requests/define-task.js";
import { DelayTaskNode } from "../node/delay-task.node.js";
import { readCall, requireInput } from "../input/input-check.js";
import { throwFaults } from "../input/input-faults.js";
import { deliverFaults, dueOf, inputOfCall, lastingInput, toTaskRequest, typeOf } from "../requests/task-request.js";
import { taskFilterInput, type TaskFilterInput } from "../input/task-filter-input.js";
import {
  type TaskChangesInput,
  taskChangesInput,
  type TaskInput,
  taskInput,
  taskKeyInput,
} from "../input/task-input.js";
import { type TaskView, toTaskView } from "../requests/task-view.js";

/** Join this transaction instead of one of Tickwheel's own. */
export interface ManagerOption {
  /**
   * A TypeORM EntityManager or QueryRunner with an open transaction, or anything with `query(sql, parameters)`. A
   * module without `dataSource` refuses it: `TRANSACTION_UNAVAILABLE`.
   */
  manager?: CallerTransaction;
}

/** A task's options when it is scheduled from code: those of the task input. */
export interface ScheduleOptions extends ManagerOption, Omit<TaskInput, "type" | "payload"> {}

export interface ScheduledTask<View = TaskView> {
  outcome: CreateOutcome;
  /** As it is now. */
  task: View;
  /** The idempotency key had been used for the same call: nothing was written, and this is its first answer again. */
  replayed: boolean;
}
export type ScheduledItem<View = TaskView> =
  { status: CreateOutcome; task: View } | { status: "rejected"; error: ItemRejection };
export interface CancelledTask<View = TaskView> {
  outcome: "cancelled" | "cancel_requested" | "not_found" | "too_late";
  task?: View;
}
/** One of many tasks: its type, its payload and its options. */
export interface ScheduleItem<Payload> extends Omit<ScheduleOptions, "manager"> {
  task: string | TaskDefinition<Payload>;
  payload: NoInfer<Payload>;
}
/** What may be changed of a scheduled task from code. */
export interface TaskChanges<Payload = Json | object> extends Omit<TaskChangesInput, "payload"> {
  payload?: Payload;
}

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
  constructor(@Inject(DelayTaskNode) private readonly node: DelayTaskNode) {}

  /**
   * Schedules one task.
   *
   * @throws TickwheelError `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE` (also what a merge would come to),
   *   `TASK_KEY_CONFLICT` (policy `reject`), `MERGE_CONFLICT` (policy `merge`), `TYPE_DELIVERY_CONFLICT`,
   *   `IDEMPOTENCY_KEY_REUSED`, `STORE_UNAVAILABLE`
   */
  async schedule<Payload extends Json | object>(
    task: string | TaskDefinition<Payload>,
    payload: NoInfer<Payload>,
    options: ScheduleOptions = {},
  ): Promise<ScheduledTask> {
    let within: CallerTransaction | undefined;
    const given = readCall(() => {
      const { manager, ...fields } = options;
      within = manager;
      return inputOfCall(fields, task, payload);
    });
    const input = requireInput(taskInput, given);
    throwFaults(deliverFaults(input, this.node.options));
    const request = toTaskRequest(input, this.node.options.namespace, ACTOR);
    const result = await this.tasks.schedule(request, { within: this.joined({ manager: within }) });
    return { ...result, task: this.view(result.task) };
  }

  /**
   * Schedules many tasks; one bad item does not stop the rest. Answers in the order given. What is given is read at the
   * call, all else is done in turns of some milliseconds, so that thousands of tasks do not keep the application from
   * its other work.
   */
  async scheduleMany<Payloads extends readonly (Json | object)[]>(
    items: { readonly [Index in keyof Payloads]: ScheduleItem<Payloads[Index]> },
    options: ManagerOption = {},
  ): Promise<ScheduledItem[]> {
    const inputs = items.map((item) =>
      readCall(() => {
        const { task, payload, ...fields } = item;
        return lastingInput(inputOfCall(fields, task, payload));
      }),
    );
    const within = this.joined(options);
    const { namespace } = this.node.options;
    const check = new BulkCheck({ namespace, actor: ACTOR, webhooks: this.node.options });
    const checked = await eachOf(inputs, (input) => check.next(input));
    const { items: results } = await this.scheduleChecked(checked, { namespace, within });
    return eachOf(results, (item) => (item.status === "rejected" ? item : { ...item, task: this.view(item.task) }));
  }

  /** As `scheduleMany`, for items of any namespace that were checked before: what REST and GraphQL call. */
  async scheduleChecked(
    items: readonly CheckedItem[],
    { namespace, ...options }: ScheduleManyOptions & { namespace: string },
  ): Promise<{ items: ScheduledItem<Task>[]; replayed: boolean }> {
    const requests = items.flatMap((item) => ("request" in item ? [item.request] : []));
    const { results, replayed } = await this.tasks.scheduleMany(namespace, requests, options);
    const written = results.values();
    const answers = items.map((item, index): ScheduledItem<Task> => {
      if ("rejection" in item) return { status: "rejected", error: item.rejection };
      return writtenItem(written.next().value!, index);
    });
    return { items: answers, replayed };
  }

  /**
   * Cancels a task. `cancel_requested`: it is running, its signal aborts, and a handler that completes all the same
   * wins.
   */
  async cancel(id: string, options: ManagerOption = {}): Promise<CancelledTask> {
    if (!isTaskId(id)) return { outcome: "not_found" };
    return this.cancelTarget({ namespace: this.node.options.namespace, id: id.toLowerCase() }, options);
  }

  /** Cancels the live task of a key. */
  async cancelByKey(
    task: string | TaskDefinition<unknown>,
    key: string,
    options: ManagerOption = {},
  ): Promise<CancelledTask> {
    const target = requireInput(taskKeyInput, { type: typeOf(task), key });
    return this.cancelTarget({ namespace: this.node.options.namespace, type: target.type, key: target.key }, options);
  }

  /**
   * Moves or edits a scheduled task.
   *
   * @example await delayTasks.reschedule<PayloadOf<typeof CancelOrder>>(id, { delay: "30m", payload: { orderId: "42" } })
   * @returns the task as it is now
   * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT` (it is not scheduled), `VERSION_MISMATCH`,
   *   `VALIDATION_FAILED`
   */
  async reschedule<Payload extends Json | object>(
    id: string,
    changes: TaskChanges<Payload>,
    options: ManagerOption & { expectedVersion?: number } = {},
  ): Promise<TaskView> {
    const input = requireInput(taskChangesInput, changes);
    if (!isTaskId(id)) throw noTask(id);
    const { payload, priority, maxAttempts } = input;
    const reply = await this.tasks.edit(
      {
        namespace: this.node.options.namespace,
        id: id.toLowerCase(),
        actor: ACTOR,
        expectedVersion: options.expectedVersion ?? null,
        changes: { due: dueOf(input), payload, priority: priority ?? undefined, maxAttempts: maxAttempts ?? undefined },
      },
      { within: this.joined(options) },
    );
    if (reply.outcome === "not_found") throw noTask(id);
    if (reply.outcome === "version_mismatch")
      throw new TickwheelError("VERSION_MISMATCH", `The task has version ${reply.task.version}.`);
    if (reply.outcome === "state_conflict")
      throw new TickwheelError(
        "TASK_STATE_CONFLICT",
        `The task is ${reply.task.state}; only a scheduled one can be changed.`,
      );
    return this.view(reply.task);
  }

  /** The task, or null. */
  async get(id: string, options: ManagerOption = {}): Promise<TaskView | null> {
    if (!isTaskId(id)) return null;
    const task = await this.tasks.get(this.node.options.namespace, id.toLowerCase(), { within: this.joined(options) });
    return task && this.view(task);
  }

  /**
   * Tasks of this application's namespace, newest first, in pages, which end with the task that reaches 2 MiB
   * (`maxBytes`). `incomplete`: the budget of rows and time ended the look before the page was full; go on with
   * `after: next`.
   *
   * @param filter all of it must hold; `limit` 1 … 200, default 50; times in epoch milliseconds
   * @throws TickwheelError `VALIDATION_FAILED` with every fault of the filter
   */
  async find(
    filter: TaskFilterInput = {},
    options: ManagerOption = {},
  ): Promise<{ items: TaskView[]; next: string | null; incomplete: boolean }> {
    const asked = { ...requireInput(taskFilterInput, filter), namespace: this.node.options.namespace };
    const page = await this.tasks.find(asked, { within: this.joined(options) });
    return { items: page.tasks.map((task) => this.view(task)), next: page.next, incomplete: page.incomplete };
  }

  /** Schedules a terminal task again, due now, with a clean account. */
  async retry(id: string, options: ManagerOption = {}): Promise<TaskView> {
    if (!isTaskId(id)) throw noTask(id);
    const { namespace } = this.node.options;
    const reply = await this.tasks.retry(
      { namespace, id: id.toLowerCase(), actor: ACTOR },
      { within: this.joined(options) },
    );
    if (reply.outcome === "not_found") throw noTask(id);
    if (reply.outcome === "state_conflict")
      throw new TickwheelError(
        "TASK_STATE_CONFLICT",
        `The task is ${reply.task.state}; only a finished one can be retried.`,
      );
    if (reply.outcome === "key_conflict")
      throw new TickwheelError("TASK_KEY_CONFLICT", "Another live task has this task's key.");
    return this.view(reply.task);
  }

  /**
   * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: it runs no statements, or nobody knows whether its transaction is
   *   of the scheduler's own database
   */
  private joined({ manager }: ManagerOption): CallerTransaction | undefined {
    if (manager === undefined) return undefined;
    if (this.node.options.dataSource === null)
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "A `manager` can be joined only on the application's own DataSource: pass `dataSource` to DelayTaskModule.",
      );
    if (typeof (manager as Partial<CallerTransaction> | null)?.query !== "function")
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "The given `manager` has no method query(sql, parameters): give the EntityManager or QueryRunner of the transaction.",
      );
    return manager;
  }

  private get tasks(): TaskService {
    return this.node.service;
  }

  private async cancelTarget(
    target: Parameters<TaskService["cancel"]>[0],
    options: ManagerOption,
  ): Promise<CancelledTask> {
    const reply = await this.tasks.cancel(target, ACTOR, { within: this.joined(options) });
    return reply.outcome === "not_found"
      ? { outcome: "not_found" }
      : { outcome: reply.outcome, task: this.view(reply.task) };
  }

  private view(task: Task): TaskView {
    return toTaskView(task, { waitingFor: this.tasks.waitingFor(task), payload: jsonValueOf(task.payload) });
  }
}

const ACTOR = "application";

function noTask(id: unknown): TickwheelError {
  const name = typeof id === "string" ? shownText(id) : "without an id";
  return new TickwheelError("TASK_NOT_FOUND", `There is no task ${name}.`);
}

/** What the engine answered for an item; its faults name their places within the item. */
function writtenItem(result: ScheduleManyResult, index: number): ScheduledItem<Task> {
  if (result.status !== "rejected") return { status: result.status, task: result.task };
  const errors = result.error.errors.map(({ path, message }) => ({ path: `tasks[${index}].${path}`, message }));
  return { status: "rejected", error: { ...result.error, errors } };
}

/** A bulk of so many is worked on at once. */
const FEW = 200;

async function eachOf<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<Result[]> {
  return items.length <= FEW ? items.map((item) => work(item)) : inTurns(items, work);
}
