import { createHash } from "node:crypto";
import { type CallerTransaction, type Task, type TaskTarget, TickwheelError, wait, jsonTextOf } from "@tickwheel/core";
import type { TaskRequest } from "@tickwheel/engine";
import { type MemoryTransaction, StatementFailure } from "@tickwheel/testing";
import type { Action, PlannedRequest, PlannedTask } from "./plan.js";
import { NAMESPACE, type SimulatedProcess } from "./simulated-process.js";
import { SettingCaller } from "./setting-requests.js";
import type { World } from "./world.js";

const ACTOR = "caller";

/** Rolls a caller's transaction back, as planned. */
class PlannedRollback extends Error {}

/** The callers of a run: they send the planned requests to nodes, and record the answers in the history. */
export class Callers {
  /** The ids of the tasks that they know of, by the plan's names. */
  private readonly ids = new Map<string, string>();
  /** The versions that refreshes and merges were told: two that are told the same version have shared a write. */
  private readonly refreshed = new Set<string>();

  constructor(private readonly world: World) {}

  plant({ atMs, node, action }: PlannedRequest): void {
    this.world.time.setTimer(atMs, () => {
      const able = this.world.processes.filter((process) => !process.isOver && !process.isStopping);
      const process = able[node % Math.max(1, able.length)];
      if (process) this.world.spawn(process, action.kind, () => this.ask(process, action));
    });
  }

  /** Documented errors are answers; if the store is unavailable, the caller does not know the outcome. */
  private async ask(process: SimulatedProcess, action: Action): Promise<void> {
    const { recorder } = this.world;
    try {
      const acknowledge = await this.act(process, action);
      recorder.count(`request ${action.kind}`);
      acknowledge();
    } catch (error) {
      if (error instanceof PlannedRollback) return recorder.count("request rolled back");
      if (error instanceof StatementFailure) return recorder.count(`request failed ${error.why}`);
      if (!(error instanceof TickwheelError) || error.code === "INTERNAL") throw error;
      recorder.count(`request refused ${error.code}`);
    }
  }

  /** Returns a function that records in the history what the caller was told. */
  private async act(process: SimulatedProcess, action: Action, within?: CallerTransaction): Promise<() => void> {
    const { service } = process.node;
    switch (action.kind) {
      case "create":
        return this.create(process, action.task, within);
      case "create-many": {
        const requests = action.tasks.map(requestOf);
        const { results } = await service.scheduleMany(NAMESPACE, requests, { within });
        return () => {
          results.forEach((result, place) => {
            if (result.status !== "rejected") this.created(action.tasks[place]!, result.status, result.task);
          });
        };
      }
      case "cancel":
      case "cancel-key":
        return this.cancel(process, action, within);
      case "pause":
      case "pause-key":
      case "resume":
      case "resume-key":
        return this.pauseOrResume(process, action, within);
      case "pause-type":
      case "resume-type":
      case "hold-key":
      case "release-key":
      case "keep-successes":
      case "set-concurrency":
      case "set-limit":
        return new SettingCaller(this.world).ask(process, action);
      case "reschedule":
      case "edit":
        return this.edit(process, action, within);
      case "retry":
        return this.retry(process, action.ref, within);
      case "transaction":
        return this.inTransaction(process, action);
    }
  }

  private async create(
    { node }: SimulatedProcess,
    task: PlannedTask,
    within: CallerTransaction | undefined,
  ): Promise<() => void> {
    const result = await node.service.schedule(requestOf(task), { within });
    return () => this.created(task, result.replayed ? "existing" : result.outcome, result.task);
  }

  private created(planned: PlannedTask, outcome: string, task: Task): void {
    const { recorder } = this.world;
    this.ids.set(planned.ref, task.id);
    recorder.count(`create ${outcome}`);
    if (outcome === "refreshed" || outcome === "merged") this.countFolded(task);
    const { idempotencyKey: key } = planned;
    const commit = recorder.commitOf(task);
    const isMerged = planned.onConflict === "merge" && (outcome === "merged" || outcome === "created");
    if (isMerged) recorder.record({ kind: "merge-acknowledged", taskId: task.id, item: planned.ref, commit });
    const idempotencyKey = key === null ? null : `${NAMESPACE}/${key}`;
    recorder.record({ kind: "create-acknowledged", taskIds: [task.id], idempotencyKey, commit });
  }

  private countFolded({ id, version }: Task): void {
    const state = `${id} ${version}`;
    if (this.refreshed.has(state)) this.world.recorder.count("create folded");
    this.refreshed.add(state);
  }

  private async cancel(
    { node }: SimulatedProcess,
    action: Extract<Action, { kind: "cancel" | "cancel-key" }>,
    within: CallerTransaction | undefined,
  ): Promise<() => void> {
    const target = this.targetOf(action);
    if (!target) return unknown;
    const reply = await node.service.cancel(target, ACTOR, { within });
    if (reply.outcome === "not_found") return unknown;
    const { outcome, task } = reply;
    return () => {
      const { recorder } = this.world;
      recorder.count(`cancel ${outcome}`);
      const commit = recorder.commitOf(task);
      recorder.record({ kind: "cancel-acknowledged", taskId: task.id, outcome, fence: task.fence, commit });
    };
  }

  private async pauseOrResume(
    { node }: SimulatedProcess,
    action: Extract<Action, { kind: "pause" | "pause-key" | "resume" | "resume-key" }>,
    within: CallerTransaction | undefined,
  ): Promise<() => void> {
    const target = this.targetOf(action);
    if (!target) return unknown;
    const isPause = action.kind === "pause" || action.kind === "pause-key";
    const reply = await node.service[isPause ? "pause" : "resume"]({ target, actor: ACTOR }, { within });
    const { recorder } = this.world;
    if (reply.outcome !== "changed") return () => recorder.count(`${isPause ? "pause" : "resume"} ${reply.outcome}`);
    const { task } = reply;
    return () => {
      const commit = recorder.commitOf(task);
      if (isPause) recorder.record({ kind: "pause-acknowledged", taskId: task.id, version: task.version, commit });
    };
  }

  /** Null: the caller does not know the task. */
  private targetOf(action: { ref: string } | { key: string }): TaskTarget | null {
    if ("key" in action) return { namespace: NAMESPACE, type: "plain", key: action.key };
    const id = this.ids.get(action.ref);
    return id === undefined ? null : { namespace: NAMESPACE, id };
  }

  private async edit(
    { node }: SimulatedProcess,
    action: Extract<Action, { kind: "reschedule" | "edit" }>,
    within: CallerTransaction | undefined,
  ): Promise<() => void> {
    const id = this.ids.get(action.ref);
    if (id === undefined) return unknown;
    const changes = action.kind === "edit" ? { priority: action.priority } : { due: { delayMs: action.delayMs } };
    const reply = await node.service.edit({ namespace: NAMESPACE, id, changes, actor: ACTOR }, { within });
    if (reply.outcome !== "changed") return () => this.world.recorder.count(`edit ${reply.outcome}`);
    const { version, dueAt } = reply.task;
    return () => {
      const commit = this.world.recorder.commitOf(reply.task);
      this.world.recorder.record({ kind: "edit-acknowledged", taskId: id, version, dueAt, commit });
    };
  }

  private async retry(
    { node }: SimulatedProcess,
    ref: string,
    within: CallerTransaction | undefined,
  ): Promise<() => void> {
    const id = this.ids.get(ref);
    if (id === undefined) return unknown;
    const reply = await node.service.retry({ namespace: NAMESPACE, id, actor: ACTOR }, { within });
    if (reply.outcome !== "scheduled") return () => this.world.recorder.count(`retry ${reply.outcome}`);
    const { fence } = reply.task;
    return () => {
      const commit = this.world.recorder.commitOf(reply.task);
      this.world.recorder.record({ kind: "retry-acknowledged", taskId: id, fence, commit });
    };
  }

  private async inTransaction(
    process: SimulatedProcess,
    { actions, holdMs, commits }: Extract<Action, { kind: "transaction" }>,
  ): Promise<() => void> {
    const acknowledgements = await process.transaction(async (within) => {
      this.watchRows(within);
      const told: (() => void)[] = [];
      for (const action of actions) told.push(await this.act(process, action, within));
      await wait(process.clock, holdMs);
      if (!commits) throw new PlannedRollback();
      return told;
    });
    return () => {
      for (const acknowledge of acknowledgements) acknowledge();
    };
  }

  /** While a caller's transaction locks a task's row, that counts as a fault of the task. */
  private watchRows(within: MemoryTransaction): void {
    const { recorder } = this.world;
    const held = new Set<string>();
    within.onTaskHeld = (taskId) => {
      if (held.has(taskId)) return;
      held.add(taskId);
      recorder.faultBegan({ name: "row-lock", taskId });
      void within.ended.then(() => recorder.faultEnded({ name: "row-lock", taskId }));
    };
  }
}

function unknown(): void {}

function requestOf(task: PlannedTask): TaskRequest {
  const { delayMs, key, onConflict, maxAttempts, timeoutMs, retryDelayMs, priority, startDeadlineMs, behaviour } = task;
  const isMerge = onConflict === "merge";
  const body = {
    namespace: NAMESPACE,
    type: task.pulledType ?? (key === null ? behaviour.kind : "plain"),
    ...(task.pulledType !== undefined && { isPulled: true }),
    payload: jsonTextOf(isMerge ? { ...behaviour, items: [task.ref], count: 1 } : { ...behaviour }),
    ...(isMerge && { reducers: { items: "append", count: "add" } as const }),
    ...(task.maxWaitMs !== undefined && { maxWaitMs: task.maxWaitMs }),
    due: { delayMs },
    key,
    onConflict,
    maxAttempts,
    timeoutMs,
    priority,
    startDeadlineMs: startDeadlineMs ?? undefined,
    actor: ACTOR,
    backoff: { kind: "fixed" as const, delayMs: retryDelayMs },
  };
  const { idempotencyKey } = task;
  if (idempotencyKey === null) return body;
  const bodyHash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  return { ...body, idempotency: { key: idempotencyKey, bodyHash } };
}
