import { Inject, Injectable } from "@nestjs/common";
import {
  type ChangedTaskFields,
  type DryRunFields,
  isoInstant,
  OperationCalls,
  type OperationFields,
  toChangedTaskView,
  toDryRunView,
  toOperationView,
  toReachView,
  type UndoReachFields,
} from "@tickwheel/calls";
import type { MANY_OPERATIONS } from "@tickwheel/contract/operations";
import type { TaskOperation } from "@tickwheel/core";
import { noOperation } from "@tickwheel/engine";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";

type Rows = (typeof MANY_OPERATIONS)["rows"];

/** An operation as an answer shows it. */
export type ShownOperation = OperationFields<string>;

/** A page of the operations, the newest first. */
export interface OperationPageView {
  items: ShownOperation[];
  nextCursor: string | null;
}

/** A page of the tasks that an operation has changed. */
export interface ChangedTaskPageView {
  items: ChangedTaskFields<string>[];
  nextCursor: string | null;
}

/** The calls about operations on many tasks, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class OperationApiService implements Calls<Rows> {
  private readonly calls: OperationCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new OperationCalls(node);
  }

  async dryRunOperation({ apiKey, body }: Call): Promise<DryRunFields<string>> {
    const { plan, dryRun } = await this.calls.dryRun(callerOf(apiKey), body);
    return toDryRunView(dryRun, plan, isoInstant);
  }

  async startOperation({ apiKey, body, idempotencyKey, headers }: Call): Promise<ShownOperation> {
    return this.shown(await this.calls.start(callerOf(apiKey), body, { idempotencyKey, headers }));
  }

  async operations({ apiKey, query }: Pick<Call<Rows["operations"]>, "apiKey" | "query">): Promise<OperationPageView> {
    const { state: states, action: actions, cursor: before, limit } = query;
    const { operations, next } = await this.calls.list(callerOf(apiKey), { states, actions, limit, before });
    return { items: operations.map((operation) => this.shown(operation)), nextCursor: next };
  }

  async operation({ apiKey, at }: Call): Promise<ShownOperation & UndoReachFields> {
    const found = await this.calls.get(callerOf(apiKey), at);
    if (!found) throw noOperation(at);
    return { ...this.shown(found), ...toReachView(await this.calls.undoReach(callerOf(apiKey), found)) };
  }

  async operationTasks({ apiKey, at, query }: Call<Rows["operationTasks"]>): Promise<ChangedTaskPageView> {
    const { outcome: outcomes, cursor: after, limit } = query;
    const { tasks, next } = await this.calls.tasksOf(callerOf(apiKey), at, { outcomes, limit, after });
    return { items: tasks.map((task) => toChangedTaskView(task, isoInstant)), nextCursor: next };
  }

  async holdOperation({ apiKey, at, body }: Call): Promise<ShownOperation> {
    return this.shown(await this.calls.hold(callerOf(apiKey), at, body));
  }

  async resumeOperation({ apiKey, at, body }: Call): Promise<ShownOperation> {
    return this.shown(await this.calls.resume(callerOf(apiKey), at, body));
  }

  async stopOperation({ apiKey, at, body }: Call): Promise<ShownOperation> {
    return this.shown(await this.calls.stop(callerOf(apiKey), at, body));
  }

  async undoOperation({ apiKey, at, body }: Call): Promise<ShownOperation> {
    return this.shown(await this.calls.undo(callerOf(apiKey), at, body));
  }

  async repeatOperation({ apiKey, at, body: given, idempotencyKey, headers }: Call): Promise<ShownOperation> {
    return this.shown(await this.calls.repeat(callerOf(apiKey), at, { given, idempotencyKey, headers }));
  }

  private shown(operation: TaskOperation): ShownOperation {
    return toOperationView(operation, this.node.operations.nowMs(), isoInstant);
  }
}
