import {
  type CallerTransaction,
  type Because,
  type HandlerReport,
  checkAsked,
  isTaskId,
  type JournalPage,
  type Task,
  type TaskPage,
  type TaskTarget,
  TERMINAL_STATES,
} from "@tickwheel/core";
import type { ServiceStats, TaskResult, WaitBounds } from "@tickwheel/engine";
import {
  type AskedTasks,
  idempotencyFaults,
  requireInput,
  taskChangesInput,
  taskIdsInput,
  taskKeyInput,
  taskTagInput,
  throwFaults,
} from "@tickwheel/contract";
import { withNamesResolved } from "../requests/named-subjects.js";
import { ListHash } from "../requests/body-hash.js";
import { bulkAnswers, type TaskItemResult } from "../requests/bulk-answers.js";
import { BulkCheck, checkTask, idempotencyOf } from "../requests/bulk-check.js";
import { checkEdited } from "../requests/changed-payloads.js";
import { eachOf, inParallel } from "../requests/many.js";
import { liveTasksOf } from "./live-tasks.js";
import { editedTask, noTask, pausedTask, retriedTask } from "../requests/task-replies.js";
import { dueOf } from "../requests/task-request.js";
import type { CancelledItem, CancelledTask, RetriedItem } from "../requests/task-view.generated.js";
import { seriesFaults, timesOf } from "../requests/series-times.js";
import { createTraced, endOfCreate } from "../requests/traced-create.js";
import {
  bulkCallerOf,
  type Caller,
  type CallOptions,
  type CancelCall,
  type CallPorts,
  keyFaults,
  readerOf,
  requireOperator,
} from "./caller.js";

/** A task with what its handler has told last, and why it is where it is. */
export interface FoundTask {
  task: Task;
  report: HandlerReport;
  because: Because;
}

/** A task by its id, or the live one of a key. */
export type TaskName = { id: string } | { type: string; key: string };

/**
 * What can be asked about tasks: each call once, for code, REST and GraphQL. It answers records, which a face shows in
 * its own form. The order is always the same: rights, the id's form, the input's rules, payloads and webhooks, the
 * engine. Keeps no state.
 *
 * On failure: `STORE_UNAVAILABLE` from any call; whether a write was done is then unknown.
 */
export class TaskCalls {
  constructor(private readonly ports: CallPorts) {}

  /**
   * Makes one task.
   *
   * @param given a `TaskInput`
   * @throws TickwheelError `FORBIDDEN`, `VALIDATION_FAILED`, `PAYLOAD_TOO_LARGE`, `TASK_KEY_CONFLICT`,
   *   `MERGE_CONFLICT`, `TYPE_DELIVERY_CONFLICT`, `IDEMPOTENCY_KEY_REUSED`, `RATE_LIMITED`
   */
  async create(caller: Caller, given: unknown, options: CallOptions = {}): Promise<TaskResult> {
    requireOperator(caller);
    const { idempotencyKey, within, headers } = options;
    const { input, faults, request } = checkTask(given, "", bulkCallerOf(caller, this.ports));
    const ofKey = idempotencyFaults(idempotencyKey, input.idempotencyKey);
    if (request === null || ofKey.length > 0) throwFaults([...faults, ...ofKey]);
    const wanted = request!;
    if (idempotencyKey !== undefined) wanted.idempotency ??= idempotencyOf(idempotencyKey, given, input);
    const { tracing, service } = this.ports;
    const call = { tracing, namespace: caller.namespace, requests: [wanted], headers };
    // Awaited here: a promise that an async function returns costs each create two more turns of the queue.
    return await createTraced(call, () => service.schedule(wanted, { within }), endOfCreate);
  }

  /**
   * Makes the first task of a series; each makes the next one when it starts.
   *
   * @param given a `TaskInput` with `at` in place of its time
   * @throws TickwheelError as {@link create}
   */
  async createSeries(caller: Caller, given: unknown, { within }: CallOptions = {}): Promise<TaskResult> {
    requireOperator(caller);
    const { at, ...fields } = Object(given) as Record<string, unknown>;
    const { faults: ofTimes, ...times } = timesOf(at, this.ports.service.nowMs());
    const { faults, request } = checkTask({ ...fields, scheduledAt: undefined }, "", bulkCallerOf(caller, this.ports));
    const all = [...faults, ...seriesFaults(fields), ...ofTimes];
    if (request === null || all.length > 0) throwFaults(all);
    const wanted = { ...request!, ...times };
    const { tracing, service } = this.ports;
    const call = { tracing, namespace: caller.namespace, requests: [wanted] };
    return createTraced(call, () => service.schedule(wanted, { within }), endOfCreate);
  }

  /**
   * Makes many tasks. One bad item does not stop the rest. Works in turns: there may be many.
   *
   * @param given a list of `TaskInput`
   * @returns what became of each, in the order given
   */
  async createMany(
    caller: Caller,
    given: readonly unknown[],
    { idempotencyKey, within, headers, signal }: CallOptions = {},
  ): Promise<{ items: TaskItemResult<Task>[]; replayed: boolean }> {
    requireOperator(caller);
    throwFaults(keyFaults({ idempotencyKey, headers }));
    const hash = idempotencyKey === undefined ? null : new ListHash();
    const check = new BulkCheck(bulkCallerOf(caller, this.ports), hash);
    const items = await eachOf(given, (item) => check.next(item));
    const requests = items.flatMap((item) => ("request" in item ? [item.request] : []));
    const idempotency = hash && { key: idempotencyKey!, bodyHash: hash.digest() };
    const { tracing, service } = this.ports;
    const { namespace } = caller;
    const call = { tracing, namespace, requests, count: requests.length, headers };
    const write = () => service.scheduleMany(namespace, requests, { within, idempotency, signal });
    const { results, replayed } = await createTraced(call, write);
    return { items: bulkAnswers(items, results), replayed };
  }

  /** The task, or null. */
  async get(caller: Caller, id: string, { within }: CallOptions = {}): Promise<FoundTask | null> {
    const { service, reports } = this.ports;
    if (!isTaskId(id)) return null;
    const task = await service.get(caller.namespace, id.toLowerCase(), { within, caller: caller.reader });
    if (!task) return null;
    const [report, because] = await Promise.all([reports.readReport(task.id, task.namespace), service.because(task)]);
    return { task, report, because };
  }

  /**
   * The task as soon as it has ended, or as it is when the time is over or the node stops; null: there is none, or it
   * was not kept.
   *
   * @throws TickwheelError `RATE_LIMITED`: 10,000 calls wait on this node
   */
  async whenEnded(caller: Caller, id: string, bounds: WaitBounds): Promise<FoundTask | null> {
    const found = await this.get(caller, id);
    if (!found || TERMINAL_STATES.includes(found.task.state)) return found;
    await this.ports.service.ends.untilEnded(found.task, bounds);
    return this.get(caller, id);
  }

  /**
   * Tasks, newest first or in the order of a tab, in pages. Times relative to now are counted from the database's now
   * at this call.
   *
   * @param asked checked by the face, by its own names, but for what depends on the time
   * @throws TickwheelError `VALIDATION_FAILED`: a range that ends before it begins
   */
  async find(
    caller: Caller,
    { fields, line, ...page }: AskedTasks,
    { within, maxBytes }: CallOptions = {},
  ): Promise<TaskPage> {
    const { service } = this.ports;
    const { filter: asked, faults } = checkAsked({ fields, line }, { now: service.nowMs() });
    throwFaults(faults);
    const filter = await withNamesResolved(asked, caller.namespace, this.ports);
    return await service.find({ ...filter, ...page, ...readerOf(caller), maxBytes }, { within });
  }

  /** What has happened to a task, oldest first, in pages; null: there is no such task. */
  async journal(
    { namespace, reader }: Caller,
    id: string,
    page: { limit: number; after?: number | undefined },
  ): Promise<JournalPage | null> {
    if (!isTaskId(id)) return null;
    return this.ports.service.journal({ ...page, namespace, caller: reader, id: id.toLowerCase() });
  }

  /**
   * Moves or edits a task that waits.
   *
   * @param given a `TaskChangesInput`
   * @throws TickwheelError `FORBIDDEN`, `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT`, `VERSION_MISMATCH`,
   *   `VALIDATION_FAILED`
   */
  async edit(
    caller: Caller,
    id: string,
    { given, expectedVersion = null, within }: CallOptions & { given: unknown; expectedVersion?: number | null },
  ): Promise<Task> {
    const target = idTargetOf(caller, id);
    const input = requireInput(taskChangesInput, given);
    const { payload, priority, maxAttempts } = input;
    const changes = {
      due: dueOf(input),
      payload,
      payloadVersion: payload === undefined ? undefined : await checkEdited(this.ports, { ...target, payload }, within),
      priority: priority ?? undefined,
      maxAttempts: maxAttempts ?? undefined,
    };
    return editedTask(await this.ports.service.edit({ ...target, expectedVersion, changes }, { within }), id);
  }

  /**
   * Makes a scheduled task due now.
   *
   * @throws TickwheelError `FORBIDDEN`, `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT`
   */
  async runNow(caller: Caller, id: string, { within }: CallOptions = {}): Promise<Task> {
    return editedTask(await this.ports.service.runNow(idTargetOf(caller, id), { within }), id);
  }

  /**
   * Lets the countdown of a task stand still. One that is paused already stays as it is.
   *
   * @throws TickwheelError `FORBIDDEN`, `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT`
   */
  pause(caller: Caller, name: TaskName, options: CallOptions = {}): Promise<Task> {
    return this.pauseOrResume("pause", caller, { name, within: options.within });
  }

  /** Lets the countdown of a paused task go on; throws as {@link pause} does. */
  resume(caller: Caller, name: TaskName, options: CallOptions = {}): Promise<Task> {
    return this.pauseOrResume("resume", caller, { name, within: options.within });
  }

  /**
   * Schedules a terminal task again, due now, with a clean account.
   *
   * @throws TickwheelError `FORBIDDEN`, `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT`, `TASK_KEY_CONFLICT`
   */
  async retry(caller: Caller, id: string, { within }: CallOptions = {}): Promise<Task> {
    return retriedTask(await this.ports.service.retry(idTargetOf(caller, id), { within }), id);
  }

  /**
   * The same for many. Answers in the order given. If the store fails on the way, the call throws and some are done.
   *
   * @param given `{ ids }`, at most 1,000
   */
  async retryMany(caller: Caller, given: unknown, { within }: CallOptions = {}): Promise<RetriedItem<Task>[]> {
    requireOperator(caller);
    const { ids } = requireInput(taskIdsInput, given);
    return inParallel(ids, within, async (id): Promise<RetriedItem<Task>> => {
      if (!isTaskId(id)) return { id, outcome: "not_found" };
      const reply = await this.ports.service.retry(idTargetOf(caller, id), { within });
      return { id, outcome: reply.outcome, ...("task" in reply ? { task: reply.task } : {}) };
    });
  }

  /** Cancels a task. A task that does not exist, or has ended, is a value. */
  async cancel(caller: Caller, name: TaskName, { within, returning }: CancelCall = {}): Promise<CancelledTask<Task>> {
    requireOperator(caller);
    if ("id" in name && !isTaskId(name.id)) return { outcome: "not_found" };
    const { service } = this.ports;
    const isBrief = returning === "id" && "id" in name;
    const reply = await (isBrief
      ? service.cancelBriefly(idTargetOf(caller, name.id), { within })
      : service.cancel(targetOf(caller, name), caller.actor, { within }));
    return "task" in reply ? { outcome: reply.outcome, task: reply.task } : { outcome: reply.outcome };
  }

  /** The same for many; `given` as in {@link retryMany}. */
  async cancelMany(caller: Caller, given: unknown, options: CancelCall = {}): Promise<CancelledItem<Task>[]> {
    requireOperator(caller);
    const { ids } = requireInput(taskIdsInput, given);
    return inParallel(ids, options.within, async (id) => ({ id, ...(await this.cancel(caller, { id }, options)) }));
  }

  /**
   * Cancels the live tasks of a tag, newest first: those that wait are taken back, those that run are asked to stop. If
   * the store fails on the way, the call throws and some are cancelled.
   *
   * @param given `{ tag, type }`; `type` default: any
   * @throws TickwheelError `VALIDATION_FAILED`: there are more than 1,000; none is cancelled then
   */
  async cancelByTag(caller: Caller, given: unknown, { within }: CallOptions = {}): Promise<CancelledItem<Task>[]> {
    requireOperator(caller);
    const asked = requireInput(taskTagInput, given);
    const ids = await liveTasksOf(asked, (page) => this.find(caller, page, { within }));
    return inParallel(ids, within, async (id) => ({ id, ...(await this.cancel(caller, { id }, { within })) }));
  }

  /** Counts and lateness of the caller's namespace, at most a second old. */
  stats({ namespace }: Caller): Promise<ServiceStats> {
    return this.ports.service.stats(namespace);
  }

  private async pauseOrResume(
    how: "pause" | "resume",
    caller: Caller,
    { name, within }: { name: TaskName; within: CallerTransaction | undefined },
  ): Promise<Task> {
    requireOperator(caller);
    const target = targetOf(caller, name);
    return pausedTask(how, await this.ports.service[how]({ target, actor: caller.actor }, { within }), target);
  }
}

/** @throws TickwheelError `FORBIDDEN`; `TASK_NOT_FOUND`: no task can have this id */
function idTargetOf(caller: Caller, id: string): { namespace: string; id: string; actor: string } {
  requireOperator(caller);
  if (!isTaskId(id)) throw noTask(id);
  return { namespace: caller.namespace, id: id.toLowerCase(), actor: caller.actor };
}

/** @throws TickwheelError `TASK_NOT_FOUND`, `VALIDATION_FAILED`: no key, or no type */
function targetOf({ namespace }: Caller, name: TaskName): TaskTarget {
  if (!("id" in name)) {
    const { type, key } = requireInput(taskKeyInput, name);
    return { namespace, type, key };
  }
  if (!isTaskId(name.id)) throw noTask(name.id);
  return { namespace, id: name.id.toLowerCase() };
}
