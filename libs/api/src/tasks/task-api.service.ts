import { Inject, Injectable } from "@nestjs/common";
import { type ApiKey, longBytesOf, TickwheelError } from "@tickwheel/core";
import type { JournalRequest, Task, TaskFilter, TraceHeaders } from "@tickwheel/core";
import type { ClusterReport, GoneNode, NodeReport, ServiceStats } from "@tickwheel/engine";
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
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "../keys/api-node.js";
import { callerOf } from "../keys/api-key.js";
import { AnswerBudget } from "../limits/answer-budget.js";
import { shownItems, shownTask } from "./shown-tasks.js";
import type { BulkItem, DetailedTask, ShownTask } from "./task-json.js";

/** `GET /cluster` as a client sees it. */
export type ClusterReportView = Omit<ClusterReport, "degraded" | "nodes" | "gone"> & {
  degraded: { part: string; since: string; detail: string }[];
  nodes: NodeView[];
  gone: GoneNodeView[] | null;
};

/** A node that is gone, as a client sees it. */
export type GoneNodeView = Omit<GoneNode, "at" | "lastBeatAt"> & { at: string; lastBeatAt: string | null };

/** A node as a client sees it. */
export type NodeView = Omit<NodeReport, "typeIds" | "joinedAt"> & { joinedAt: string };

/** What the headers of a create say. */
export interface CallHeaders {
  idempotencyKey?: string;
  /** Of its trace. Default: none. */
  headers?: TraceHeaders;
  /** Fires when its client has gone. Default: the client waits. */
  signal?: AbortSignal;
}

/** `GET /stats` as a client sees it. */
export type StatsView = Omit<ServiceStats, "countedAt"> & { countedAt: string };

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
 * The task API's use cases as REST and GraphQL share them: input in, views out, refusals as `TickwheelError`s with the
 * codes of the contract. Everything happens in the key's namespace; a task of another one is as if absent.
 */
@Injectable()
export class TaskApiService {
  private readonly calls: TaskCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new TaskCalls(node);
  }

  async schedule(apiKey: ApiKey, body: unknown, headers: CallHeaders = {}): Promise<TaskResult<ShownTask>> {
    const result = await this.calls.create(callerOf(apiKey), body, headers);
    return { ...result, task: this.view(apiKey, result.task) };
  }

  /**
   * `body` is `{ tasks: [...] }`. One bad item does not stop the rest. Works in turns: there may be many. Where the
   * budget of the answer is spent, further tasks are shown reduced.
   */
  async scheduleMany(
    apiKey: ApiKey,
    body: unknown,
    { budget = new AnswerBudget(), ...headers }: CallHeaders & { budget?: AnswerBudget } = {},
  ): Promise<{ items: BulkItem[]; replayed: boolean }> {
    const tasks = tasksOf(body, headers);
    const { items, replayed } = await this.calls.createMany(callerOf(apiKey), tasks, headers);
    return { items: await shownItems(items, (task) => this.view(apiKey, task), budget), replayed };
  }

  /** With what its handler has told last. */
  async get(apiKey: ApiKey, id: string): Promise<DetailedTask | null> {
    const found = await this.calls.get(callerOf(apiKey), id);
    if (!found) return null;
    const { task, report, because } = found;
    return { ...this.view(apiKey, task), ...toReportView(report, isoInstant), ...toBecauseView(because, isoInstant) };
  }

  /** `filter` is within the key's namespace. The page ends where the budget of the answer does. */
  async find(apiKey: ApiKey, filter: TaskFilter, budget = new AnswerBudget()): Promise<TaskPageView> {
    const page = await this.calls.find(callerOf(apiKey), filter, { maxBytes: budget.left });
    budget.spend(page.bytes);
    const items = page.tasks.map((task) => this.view(apiKey, task));
    return { items, nextCursor: page.next, ...(page.incomplete ? { incomplete: true } : {}) };
  }

  async journal(apiKey: ApiKey, { id, ...page }: JournalRequest): Promise<JournalPageView> {
    const found = await this.calls.journal(callerOf(apiKey), id, page);
    if (!found) throw noTask(id);
    const nextCursor = found.next === null ? null : String(found.next);
    return { items: toJournalView(found.entries, isoInstant), nextCursor };
  }

  async edit(
    apiKey: ApiKey,
    id: string,
    { body: given, expectedVersion }: { body: unknown; expectedVersion: number | null },
  ): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.edit(callerOf(apiKey), id, { given, expectedVersion }));
  }

  async runNow(apiKey: ApiKey, id: string): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.runNow(callerOf(apiKey), id));
  }

  async pauseOrResume(apiKey: ApiKey, how: "pause" | "resume", id: string): Promise<ShownTask> {
    return this.view(apiKey, await this.calls[how](callerOf(apiKey), { id }));
  }

  /** Pauses or resumes the live task of `{ type, key }`. */
  async pauseOrResumeByKey(apiKey: ApiKey, how: "pause" | "resume", body: unknown): Promise<ShownTask> {
    return this.view(apiKey, await this.calls[how](callerOf(apiKey), requireInput(taskKeyInput, body)));
  }

  async retry(apiKey: ApiKey, id: string): Promise<ShownTask> {
    return this.view(apiKey, await this.calls.retry(callerOf(apiKey), id));
  }

  /** Of `{ ids }`, in their order. Where the budget of the answer is spent, further tasks are left out. */
  async retryMany(apiKey: ApiKey, body: unknown): Promise<RetriedItem<ShownTask>[]> {
    return this.withinBudget(apiKey, await this.calls.retryMany(callerOf(apiKey), body));
  }

  /** Of `{ ids }`, in their order. Where the budget of the answer is spent, further tasks are left out. */
  async cancelMany(apiKey: ApiKey, body: unknown): Promise<CancelledItem<ShownTask>[]> {
    return this.withinBudget(apiKey, await this.calls.cancelMany(callerOf(apiKey), body));
  }

  /** Outcomes are values; {@link requireCancelled} makes errors of them where a call wants those. */
  async cancel(apiKey: ApiKey, id: string): Promise<CancelledTask<ShownTask>> {
    return this.shownCancel(apiKey, await this.calls.cancel(callerOf(apiKey), { id }));
  }

  /** Cancels the live task of `{ type, key }`. */
  async cancelByKey(apiKey: ApiKey, body: unknown): Promise<CancelledTask<ShownTask>> {
    return this.shownCancel(apiKey, await this.calls.cancel(callerOf(apiKey), requireInput(taskKeyInput, body)));
  }

  async cluster(): Promise<ClusterReportView> {
    const report = await this.node.service.cluster();
    const degraded = report.degraded.map((part) => ({ ...part, since: new Date(part.since).toISOString() }));
    const nodes = report.nodes.map(({ typeIds: _typeIds, joinedAt, ...node }) => ({
      ...node,
      joinedAt: new Date(joinedAt).toISOString(),
    }));
    const gone = report.gone?.map((node) => ({
      ...node,
      at: new Date(node.at).toISOString(),
      lastBeatAt: node.lastBeatAt === null ? null : new Date(node.lastBeatAt).toISOString(),
    }));
    return { ...report, degraded, nodes, gone: gone ?? null };
  }

  async stats(apiKey: ApiKey): Promise<StatsView> {
    const stats = await this.calls.stats(callerOf(apiKey));
    return { ...stats, countedAt: new Date(stats.countedAt).toISOString() };
  }

  private view(apiKey: ApiKey, task: Task): ShownTask {
    return shownTask(task, apiKey, this.node);
  }

  private shownCancel(apiKey: ApiKey, { outcome, task }: CancelledTask<Task>): CancelledTask<ShownTask> {
    return task ? { outcome, task: this.view(apiKey, task) } : { outcome };
  }

  private withinBudget<Item extends { task?: Task }>(
    apiKey: ApiKey,
    items: readonly Item[],
  ): (Omit<Item, "task"> & { task?: ShownTask })[] {
    const budget = new AnswerBudget();
    return items.map(({ task, ...item }) => {
      if (!task || budget.left <= 0) return item;
      budget.spend(longBytesOf(task));
      return { ...item, task: this.view(apiKey, task) };
    });
  }
}

/** @throws TickwheelError `VALIDATION_FAILED`: the body is no `{ tasks: [...] }` of at most 10,000 */
function tasksOf(body: unknown, { idempotencyKey }: CallHeaders): unknown[] {
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

/**
 * A cancellation that must have been possible.
 *
 * @param name of the task, for the error's text
 * @throws TickwheelError `TASK_NOT_FOUND`, or `TASK_STATE_CONFLICT` where the task had ended otherwise
 */
export function requireCancelled({ outcome, task }: CancelledTask<ShownTask>, name: string): CancelledTask<ShownTask> {
  if (outcome === "not_found") throw noTask(name);
  if (outcome === "too_late")
    throw new TickwheelError("TASK_STATE_CONFLICT", `The task is ${task?.state}; it is too late to cancel it.`);
  return { outcome, task };
}
