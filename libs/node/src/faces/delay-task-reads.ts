import { type CallerTransaction, type Json, LIVE_STATES, parseDurationMs, type Task } from "@tickwheel/core";
import {
  asDate,
  askedTasksIn,
  type Caller,
  callOf,
  joinedTransaction,
  type JournalEntryView,
  type JournalInput,
  journalInput,
  type ManagerOption,
  MAX_PAGE,
  noTask,
  requireInput,
  TaskCalls,
  type TaskDefinition,
  type TaskDetails,
  type TaskFilterInput,
  type TaskView,
  toBecauseView,
  toJournalView,
  toReportView,
  typeOf,
  waitInput,
} from "@tickwheel/calls";
import { applicationOf, shownTask } from "./code-face.js";
import { endOf } from "./scheduled-task.js";
import type { FoundTasks, PageOptions, TagOptions, TaskEnd, TaskStatsView, WaitOptions } from "./task-shapes.js";
import type { DelayTaskNode } from "../node/delay-task.node.js";

/**
 * Looks up delayed tasks from anywhere in an application, and waits for their ends; `DelayTaskService` has it all. A
 * task that does not exist is a value; bad input is a `TickwheelError` `VALIDATION_FAILED` that names every fault.
 */
export abstract class DelayTaskReads {
  protected readonly calls: TaskCalls;
  protected readonly caller: Caller;

  constructor(protected readonly node: DelayTaskNode) {
    this.calls = new TaskCalls(node);
    this.caller = applicationOf(node);
  }

  /**
   * The task with its checkpoint and progress, or null. With a definition, it is a task of that type, with its
   * payload's type. Checkpoint and progress are as they are committed, also where the task is read in a transaction.
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
   * (`maxBytes`). With a definition, they are tasks of that type, with its payload's type. `incomplete`: the budget of
   * rows and time ended the look before the page was full; go on with `after: next`.
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

  /** The live tasks of a tag, of any type or one, in pages as {@link find} has them. */
  findByTag(tag: string, { type, manager, ...page }: TagOptions & PageOptions = {}): Promise<FoundTasks> {
    return this.find({ tag, type: type && typeOf(type), states: LIVE_STATES, ...page }, { manager });
  }

  /**
   * Every task that fits a filter, newest first, page by page as the loop comes to them: all that {@link find} answers,
   * without its cursor. A task that is made meanwhile is not among them.
   *
   * @example for await (const task of delayTasks.each(CancelOrder, { states: ["dead"] })) await tell(task.payload);
   * @param filter as of `find`; `limit`: how many are read at once, default 200
   * @throws TickwheelError as `find` does
   */
  each(filter?: TaskFilterInput, options?: ManagerOption): AsyncGenerator<TaskView, void, undefined>;
  each<Payload>(
    task: TaskDefinition<unknown, Payload>,
    filter?: Omit<TaskFilterInput, "type">,
    options?: ManagerOption,
  ): AsyncGenerator<TaskView<Payload>, void, undefined>;
  async *each(...parameters: readonly unknown[]): AsyncGenerator<TaskView<never>, void, undefined> {
    const [definition, filter = {}, options] = callOf<TaskFilterInput | undefined>(parameters);
    const asked = { limit: MAX_PAGE, ...filter, ...(definition ? { type: definition.type } : {}) };
    let page: FoundTasks;
    do {
      page = await this.find(asked, options);
      yield* page.items as TaskView<never>[];
      asked.after = page.next ?? undefined;
    } while (page.next !== null);
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
   * Waits until a task has ended, on whatever node. An end on this node is known at once, on others within half of
   * what the task took, at most a second. The node does nothing meanwhile but look.
   *
   * @param id of any task of the application's namespace
   * @returns how it has ended; `pending` where the time is over, the signal fires or the node stops
   * @throws TickwheelError `TASK_NOT_FOUND`, `VALIDATION_FAILED`; `RATE_LIMITED`: 10,000 calls wait on this node
   */
  async result<Result = Json>(id: string, { timeout, signal }: WaitOptions = {}): Promise<TaskEnd<Result>> {
    const given = requireInput(waitInput, { timeout }).timeout ?? "30s";
    const before = await this.calls.get(this.caller, id);
    if (!before) throw noTask(id);
    const found = await this.calls.whenEnded(this.caller, id, { timeoutMs: parseDurationMs(given)!, signal });
    if (!found) return { outcome: "forgotten", id };
    return endOf<Result>(this.view(found.task));
  }

  protected joined(options: ManagerOption): { within: CallerTransaction | undefined } {
    return { within: joinedTransaction(options, this.node.options) };
  }

  protected view<Payload = Json>(task: Task): TaskView<Payload> {
    return shownTask<Payload>(task, this.node);
  }
}
