import { Inject, Injectable } from "@nestjs/common";
import { type ApiKey, inTurns, isTaskId, longBytesOf, type TaskTarget, TickwheelError } from "@tickwheel/core";
import type { JournalRequest, Task, TaskFilter, TraceHeaders } from "@tickwheel/core";
import type { ClusterReport, GoneNode, NodeReport, ServiceStats, TaskService } from "@tickwheel/engine";
import {
  bodyHash,
  type BulkCaller,
  BulkCheck,
  type CancelledItem,
  type CancelledTask,
  checkEdited,
  type CheckedItem,
  checkTask,
  createTraced,
  dueOf,
  editedTask,
  endOfCreate,
  idempotencyFaults,
  inParallel,
  isoInstant,
  type JournalEntryFields,
  ListHash,
  MAX_FAULTS,
  noTask,
  pausedTask,
  requireInput,
  type RetriedItem,
  retriedTask,
  taskChangesInput,
  taskIdsInput,
  taskKeyInput,
  type TaskResult,
  throwFaults,
  toBecauseView,
  toJournalView,
  toReportView,
} from "@tickwheel/calls";
import type { DelayTaskNode, DelayTaskService } from "@tickwheel/nestjs";
import { API_NODE, API_TASKS } from "../keys/api-node.js";
import { actorOf } from "../keys/api-key.js";
import { MAX_BULK } from "../bodies/body-parameters.js";
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
  constructor(
    @Inject(API_NODE) private readonly node: DelayTaskNode,
    @Inject(API_TASKS) private readonly delayTasks: DelayTaskService,
  ) {}

  async schedule(
    apiKey: ApiKey,
    body: unknown,
    { idempotencyKey: idempotencyHeader, headers }: CallHeaders = {},
  ): Promise<TaskResult<ShownTask>> {
    const { input, faults, request } = checkTask(body, "", this.callerOf(apiKey));
    const headerFaults = idempotencyFaults(idempotencyHeader, input.idempotencyKey);
    throwFaults([...faults, ...headerFaults]);
    const idempotencyKey = input.idempotencyKey ?? idempotencyHeader;
    const idempotency = idempotencyKey ? { key: idempotencyKey, bodyHash: bodyHash(body) } : null;
    const wanted = { ...request!, idempotency };
    const call = { tracing: this.node.tracing, namespace: apiKey.namespace, requests: [wanted], headers };
    const result = await createTraced(call, () => this.tasks.schedule(wanted, {}), endOfCreate);
    return { ...result, task: this.view(apiKey, result.task) };
  }

  /**
   * `body` is `{ tasks: [...] }`. One bad item does not stop the rest. Works in turns: there may be many. Where the
   * budget of the answer is spent, further tasks are shown reduced.
   */
  async scheduleMany(
    apiKey: ApiKey,
    body: unknown,
    { idempotencyKey, headers, signal, budget = new AnswerBudget() }: CallHeaders & { budget?: AnswerBudget } = {},
  ): Promise<{ items: BulkItem[]; replayed: boolean }> {
    const tasks = (body as { tasks?: unknown } | null | undefined)?.tasks;
    const unknown = Object.keys(Object(body) as object).filter((field) => field !== "tasks");
    throwFaults([
      ...unknown.slice(0, MAX_FAULTS + 1).map((path) => ({ path, message: "is not a known field" })),
      ...(Array.isArray(tasks) && tasks.length <= MAX_BULK
        ? []
        : [{ path: "tasks", message: `must be a list of at most ${MAX_BULK} tasks` }]),
      ...idempotencyFaults(idempotencyKey),
    ]);
    const { items, hash } = await this.checkItems(apiKey, tasks as unknown[], idempotencyKey !== undefined);
    const idempotency = idempotencyKey === undefined ? null : { key: idempotencyKey, bodyHash: hash };
    const options = { namespace: apiKey.namespace, idempotency, headers, signal };
    const { items: results, replayed } = await this.delayTasks.scheduleChecked(items, options);
    const shown = await shownItems(results, (task) => this.view(apiKey, task), budget);
    return { items: shown, replayed };
  }

  private callerOf(apiKey: ApiKey): BulkCaller {
    const { options: webhooks, payloads } = this.node;
    return { namespace: apiKey.namespace, actor: actorOf(apiKey), webhooks, payloads };
  }

  private async checkItems(
    apiKey: ApiKey,
    tasks: readonly unknown[],
    isHashed: boolean,
  ): Promise<{ items: CheckedItem[]; hash: string }> {
    const check = new BulkCheck(this.callerOf(apiKey));
    const hash = new ListHash();
    const items = await inTurns(tasks, (task) => {
      if (isHashed) hash.add(task);
      return check.next(task);
    });
    return { items, hash: hash.digest() };
  }

  /** With what its handler has told last. */
  async get(apiKey: ApiKey, id: string): Promise<DetailedTask | null> {
    const task = isTaskId(id) ? await this.tasks.get(apiKey.namespace, id.toLowerCase(), { caller: apiKey.id }) : null;
    if (!task) return null;
    const [report, because] = await Promise.all([
      this.node.reports.readReport(task.id, task.namespace),
      this.tasks.because(task),
    ]);
    return { ...this.view(apiKey, task), ...toReportView(report, isoInstant), ...toBecauseView(because, isoInstant) };
  }

  /** `filter` is within the key's namespace. The page ends where the budget of the answer does. */
  async find(apiKey: ApiKey, filter: TaskFilter, budget = new AnswerBudget()): Promise<TaskPageView> {
    const page = await this.tasks.find({ ...filter, maxBytes: budget.left });
    budget.spend(page.bytes);
    const items = page.tasks.map((task) => this.view(apiKey, task));
    return { items, nextCursor: page.next, ...(page.incomplete ? { incomplete: true } : {}) };
  }

  async journal({ id, ...request }: JournalRequest): Promise<JournalPageView> {
    const page = isTaskId(id) ? await this.tasks.journal({ ...request, id: id.toLowerCase() }) : null;
    if (!page) throw noTask(id);
    return {
      items: toJournalView(page.entries, isoInstant),
      nextCursor: page.next === null ? null : String(page.next),
    };
  }

  async edit(
    apiKey: ApiKey,
    id: string,
    change: { body: unknown; expectedVersion: number | null },
  ): Promise<ShownTask> {
    const input = requireInput(taskChangesInput, change.body);
    const { payload, priority, maxAttempts } = input;
    const payloadVersion =
      payload === undefined ? undefined : await checkEdited(this.node, { ...targetOf(apiKey, id), payload });
    const changes = {
      due: dueOf(input),
      payload,
      payloadVersion,
      priority: priority ?? undefined,
      maxAttempts: maxAttempts ?? undefined,
    };
    if (Object.values(changes).every((value) => value === undefined))
      throwFaults([{ path: "", message: "must name at least one change" }]);
    const request = { ...targetOf(apiKey, id), expectedVersion: change.expectedVersion, changes };
    return this.view(apiKey, editedTask(await this.tasks.edit(request, {}), id));
  }

  async runNow(apiKey: ApiKey, id: string): Promise<ShownTask> {
    return this.view(apiKey, editedTask(await this.tasks.runNow(targetOf(apiKey, id)), id));
  }

  async pauseOrResume(apiKey: ApiKey, how: "pause" | "resume", id: string): Promise<ShownTask> {
    return this.pauseOrResumeTarget(apiKey, how, targetOf(apiKey, id));
  }

  /** Pauses or resumes the live task of `{ type, key }`. */
  async pauseOrResumeByKey(apiKey: ApiKey, how: "pause" | "resume", body: unknown): Promise<ShownTask> {
    return this.pauseOrResumeTarget(apiKey, how, keyTargetOf(apiKey, body));
  }

  async retry(apiKey: ApiKey, id: string): Promise<ShownTask> {
    return this.view(apiKey, retriedTask(await this.tasks.retry(targetOf(apiKey, id)), id));
  }

  /** Of `{ ids }`, in their order. Where the budget of the answer is spent, further tasks are left out. */
  async retryMany(apiKey: ApiKey, body: unknown): Promise<RetriedItem<ShownTask>[]> {
    const budget = new AnswerBudget();
    return inParallel(requireInput(taskIdsInput, body).ids, {}, async (id): Promise<RetriedItem<ShownTask>> => {
      if (!isTaskId(id)) return { id, outcome: "not_found" };
      const reply = await this.tasks.retry(targetOf(apiKey, id));
      return { id, outcome: reply.outcome, ...("task" in reply ? this.within(budget, apiKey, reply.task) : {}) };
    });
  }

  /** Of `{ ids }`, in their order. Where the budget of the answer is spent, further tasks are left out. */
  async cancelMany(apiKey: ApiKey, body: unknown): Promise<CancelledItem<ShownTask>[]> {
    const budget = new AnswerBudget();
    return inParallel(requireInput(taskIdsInput, body).ids, {}, async (id): Promise<CancelledItem<ShownTask>> => {
      if (!isTaskId(id)) return { id, outcome: "not_found" };
      const reply = await this.tasks.cancel(targetOf(apiKey, id), actorOf(apiKey), {});
      return { id, outcome: reply.outcome, ...("task" in reply ? this.within(budget, apiKey, reply.task) : {}) };
    });
  }

  /** Outcomes are values; {@link requireCancelled} makes errors of them where a call wants those. */
  async cancel(apiKey: ApiKey, id: string): Promise<CancelledTask<ShownTask>> {
    if (!isTaskId(id)) return { outcome: "not_found" };
    return this.cancelTarget(apiKey, targetOf(apiKey, id));
  }

  /** Cancels the live task of `{ type, key }`. */
  async cancelByKey(apiKey: ApiKey, body: unknown): Promise<CancelledTask<ShownTask>> {
    return this.cancelTarget(apiKey, keyTargetOf(apiKey, body));
  }

  async cluster(): Promise<ClusterReportView> {
    const report = await this.tasks.cluster();
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
    const stats = await this.tasks.stats(apiKey.namespace);
    return { ...stats, countedAt: new Date(stats.countedAt).toISOString() };
  }

  private get tasks(): TaskService {
    return this.node.service;
  }

  private view(apiKey: ApiKey, task: Task): ShownTask {
    return shownTask(task, apiKey, this.node);
  }

  private within(budget: AnswerBudget, apiKey: ApiKey, task: Task): { task?: ShownTask } {
    if (budget.left <= 0) return {};
    budget.spend(longBytesOf(task));
    return { task: this.view(apiKey, task) };
  }

  private async pauseOrResumeTarget(apiKey: ApiKey, how: "pause" | "resume", target: TaskTarget): Promise<ShownTask> {
    return this.view(apiKey, pausedTask(how, await this.tasks[how]({ target, actor: actorOf(apiKey) }), target));
  }

  private async cancelTarget(apiKey: ApiKey, target: TaskTarget): Promise<CancelledTask<ShownTask>> {
    const reply = await this.tasks.cancel(target, actorOf(apiKey), {});
    if (reply.outcome === "not_found") return { outcome: "not_found" };
    return { outcome: reply.outcome, task: this.view(apiKey, reply.task) };
  }
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

/** @throws TickwheelError `TASK_NOT_FOUND`: no task can have this id */
function targetOf(apiKey: ApiKey, id: string): { namespace: string; id: string; actor: string } {
  if (!isTaskId(id)) throw noTask(id);
  return { namespace: apiKey.namespace, id: id.toLowerCase(), actor: actorOf(apiKey) };
}

function keyTargetOf({ namespace }: ApiKey, body: unknown): TaskTarget {
  const { type, key } = requireInput(taskKeyInput, body);
  return { namespace, type, key };
}
