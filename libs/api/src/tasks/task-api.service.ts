import { Inject, Injectable } from "@nestjs/common";
import {
  type CancelledItem,
  type CancelledTask,
  idempotencyFaults,
  isoInstant,
  type JournalEntryFields,
  MAX_FAULTS,
  noTask,
  requireInput,
  type RetriedItem,
  TaskCalls,
  taskKeyInput,
  type TaskResult,
  throwFaults,
  toBecauseView,
  toJournalView,
  toReportView,
} from "@tickwheel/calls";
import { MAX_BULK } from "@tickwheel/contract";
import { askedTasksOf, type TASK_OPERATIONS } from "@tickwheel/contract/operations";
import { longBytesOf, type Task } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { shownItems, shownReport, shownTask } from "./shown-tasks.js";
import { type TabCountsView, toTabCountsView } from "./tab-counts-view.js";
import type { BulkItem, DetailedTask, ShownTask } from "./task-json.js";

type Rows = (typeof TASK_OPERATIONS)["rows"];

/**
 * A page of a list. `incomplete`: the look ended before the page was full, in tasks or bytes, and goes on at the
 * cursor.
 */
export interface TaskPageView {
  items: ShownTask[];
  nextCursor: string | null;
  incomplete?: true;
}

/** A page of a task's journal. */
export interface JournalPageView {
  items: JournalEntryFields<string>[];
  nextCursor: string | null;
}

/**
 * The calls about tasks, as REST and GraphQL share them: input in, views out, refusals as `TickwheelError`s with the
 * codes of the contract. Everything happens in the key's namespace; a task of another one is as if absent.
 */
@Injectable()
export class TaskApiService implements Calls<Rows> {
  private readonly calls: TaskCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new TaskCalls(node);
  }

  /** At most ten seconds old. */
  async counts({ apiKey }: Pick<Call, "apiKey">): Promise<TabCountsView> {
    return toTabCountsView(await this.node.figures.tabs(apiKey.namespace));
  }

  /** With the preference to wait the task is shown as it has ended, or as it is when the time is over. */
  async create(call: Call): Promise<TaskResult<ShownTask>> {
    const { apiKey, body, idempotencyKey, headers, waitSeconds } = call;
    const result = await this.calls.create(callerOf(apiKey), body, { idempotencyKey, headers });
    const ended = waitSeconds > 0 ? await this.calls.whenEnded(callerOf(apiKey), result.task.id, boundsOf(call)) : null;
    return { ...result, task: this.view(apiKey, ended?.task ?? result.task) };
  }

  /**
   * The body is `{ tasks: [...] }`. One bad item does not stop the rest. Works in turns: there may be many. Where the
   * budget of the answer is spent, further tasks are shown reduced.
   */
  async createMany(call: Call): Promise<{ results: BulkItem[]; replayed: boolean }> {
    const { apiKey, idempotencyKey, headers, signal, budget } = call;
    const options = { idempotencyKey, headers, signal };
    const { items, replayed } = await this.calls.createMany(callerOf(apiKey), tasksOf(call), options);
    return { results: await shownItems(items, (task) => this.view(apiKey, task), budget), replayed };
  }

  /**
   * The body is `{ type, key }`. Outcomes are values: what cannot be cancelled is an error only where REST answers it.
   */
  async cancelByKey({ apiKey, body }: Call): Promise<CancelledTask<ShownTask>> {
    return this.shownCancel(apiKey, await this.calls.cancel(callerOf(apiKey), requireInput(taskKeyInput, body)));
  }

  async pauseByKey({ apiKey, body }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.pause(callerOf(apiKey), requireInput(taskKeyInput, body)));
  }

  async resumeByKey({ apiKey, body }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.resume(callerOf(apiKey), requireInput(taskKeyInput, body)));
  }

  /**
   * The body is `{ ids }`; the answers are in their order. Where the budget of the answer is spent, further tasks are
   * left out.
   */
  async cancelMany(call: Call): Promise<{ results: CancelledItem<ShownTask>[] }> {
    return { results: this.withinBudget(call, await this.calls.cancelMany(callerOf(call.apiKey), call.body)) };
  }

  /** As {@link cancelMany}, of `{ tag, type }`: newest first. */
  async cancelByTag(call: Call): Promise<{ results: CancelledItem<ShownTask>[] }> {
    return { results: this.withinBudget(call, await this.calls.cancelByTag(callerOf(call.apiKey), call.body)) };
  }

  /** As {@link cancelMany}. */
  async retryMany(call: Call): Promise<{ results: RetriedItem<ShownTask>[] }> {
    return { results: this.withinBudget(call, await this.calls.retryMany(callerOf(call.apiKey), call.body)) };
  }

  /** The page ends where the budget of the answer does. */
  async find({ apiKey, query, budget }: Call<Rows["find"]>): Promise<TaskPageView> {
    const page = await this.calls.find(callerOf(apiKey), askedTasksOf(query), { maxBytes: budget.left });
    budget.spend(page.bytes);
    const items = page.tasks.map((task) => this.view(apiKey, task));
    return { items, nextCursor: page.next, ...(page.incomplete ? { incomplete: true } : {}) };
  }

  /** With what its handler has told last. It may wait until the task has ended. */
  async get(call: Call): Promise<DetailedTask> {
    const { apiKey, at, waitSeconds } = call;
    const found = await (waitSeconds > 0
      ? this.calls.whenEnded(callerOf(apiKey), at, boundsOf(call))
      : this.calls.get(callerOf(apiKey), at));
    if (!found) throw noTask(at);
    const { task, report, because } = found;
    const told = shownReport(toReportView(report, isoInstant), apiKey);
    return { ...this.view(apiKey, task), ...told, ...toBecauseView(because, isoInstant) };
  }

  async edit({ apiKey, at, body: given, expected: expectedVersion }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.edit(callerOf(apiKey), at, { given, expectedVersion }));
  }

  /** As {@link cancelByKey}, of an id. In brief, a task that is cancelled is not answered. */
  async cancel({ apiKey, at, isBrief }: Call): Promise<CancelledTask<ShownTask>> {
    const returning = isBrief ? "id" : "task";
    return this.shownCancel(apiKey, await this.calls.cancel(callerOf(apiKey), { id: at }, { returning }));
  }

  async runNow({ apiKey, at }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.runNow(callerOf(apiKey), at));
  }

  async pause({ apiKey, at }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.pause(callerOf(apiKey), { id: at }));
  }

  async resume({ apiKey, at }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.resume(callerOf(apiKey), { id: at }));
  }

  async retry({ apiKey, at }: Call): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.retry(callerOf(apiKey), at));
  }

  async journal({ apiKey, at, query }: Call<Rows["journal"]>): Promise<JournalPageView> {
    const { limit, cursor: after } = query;
    const found = await this.calls.journal(callerOf(apiKey), at, { limit, after });
    if (!found) throw noTask(at);
    const nextCursor = found.next === null ? null : String(found.next);
    return { items: toJournalView(found.entries, isoInstant), nextCursor };
  }

  private view(apiKey: Call["apiKey"], task: Task): ShownTask {
    return shownTask(task, apiKey, this.node);
  }

  private shownCancel(apiKey: Call["apiKey"], { outcome, task }: CancelledTask<Task>): CancelledTask<ShownTask> {
    return task ? { outcome, task: this.view(apiKey, task) } : { outcome };
  }

  private withinBudget<Item extends { task?: Task }>(
    { apiKey, budget }: Call,
    items: readonly Item[],
  ): (Omit<Item, "task"> & { task?: ShownTask })[] {
    return items.map(({ task, ...item }) => {
      if (!task || budget.left <= 0) return item;
      budget.spend(longBytesOf(task));
      return { ...item, task: this.view(apiKey, task) };
    });
  }
}

/** @throws TickwheelError `VALIDATION_FAILED`: the body is no `{ tasks: [...] }` of at most 10,000 */
function tasksOf({ body, idempotencyKey }: Pick<Call, "body" | "idempotencyKey">): unknown[] {
  const tasks = (body as { tasks?: unknown } | null | undefined)?.tasks;
  const unknown = Object.keys(Object(body) as object).filter((field) => field !== "tasks");
  throwFaults([
    ...unknown.slice(0, MAX_FAULTS + 1).map((path) => ({ path, message: "is not a known field" })),
    ...(Array.isArray(tasks) && tasks.length <= MAX_BULK
      ? []
      : [{ path: "tasks", message: `must be a list of at most ${MAX_BULK} tasks` }]),
    ...idempotencyFaults(idempotencyKey),
  ]);
  return tasks as unknown[];
}

/** How long a call waits. */
function boundsOf({ waitSeconds, signal }: Call): { timeoutMs: number; signal: AbortSignal | undefined } {
  return { timeoutMs: waitSeconds * 1_000, signal };
}
