import {
  type ChangedTaskPage,
  type DryRun,
  isTaskId,
  type OperationAction,
  type OperationChange,
  type OperationPage,
  type OperationPlan,
  type OperationState,
  type TaskOperation,
  type TaskOutcome,
  TickwheelError,
  type UndoReach,
} from "@tickwheel/core";
import { noOperation } from "@tickwheel/engine";
import { operationInput, operationReasonInput, requireInput, throwFaults, undoInput } from "@tickwheel/contract";
import { bodyHash } from "../requests/body-hash.js";
import { withNamesResolved } from "../requests/named-subjects.js";
import { toOperationPlan } from "../operations/operation-request.js";
import { type Caller, type CallOptions, type CallPorts, keyFaults, readerOf, requireOperator } from "./caller.js";

/** What trying an operation dry has found. */
export interface TriedOperation {
  plan: OperationPlan;
  dryRun: DryRun;
}

/** Which operations a list shows. */
export interface OperationList {
  states?: readonly OperationState[] | undefined;
  actions?: readonly OperationAction[] | undefined;
  limit: number;
  before?: string | undefined;
}

/** Which of the tasks that an operation has changed. */
export interface ChangedTaskList {
  outcomes?: readonly TaskOutcome[] | undefined;
  limit: number;
  after?: string | undefined;
}

/**
 * What can be asked of operations on many tasks, by each kind of caller. `given` is unchecked: its rules stand in the
 * contract's `operation-input.ts`. Every call but a look throws `FORBIDDEN` to a caller who may only read, and any call
 * `STORE_UNAVAILABLE`.
 */
export class OperationCalls {
  constructor(private readonly ports: CallPorts) {}

  /** Tries an operation dry. @throws TickwheelError `VALIDATION_FAILED` with every fault */
  async dryRun(caller: Caller, given: unknown): Promise<TriedOperation> {
    requireOperator(caller);
    const plan = await this.planOf(caller, given);
    return { plan, dryRun: await this.ports.operations.dryRun(plan, readerOf(caller)) };
  }

  /**
   * Starts an operation.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `OPERATION_COUNT_CHANGED`, `IDEMPOTENCY_KEY_REUSED`,
   *   `RATE_LIMITED`: the namespace has too many open operations
   */
  async start(
    caller: Caller,
    given: unknown,
    { idempotencyKey: key, headers }: Pick<CallOptions, "idempotencyKey" | "headers"> = {},
  ): Promise<TaskOperation> {
    requireOperator(caller);
    throwFaults(keyFaults({ idempotencyKey: key, headers }));
    const { reason = null, expect = null } = requireInput(operationInput, given);
    const request = {
      ...(await this.planOf(caller, given)),
      actor: caller.actor,
      reason,
      expect,
      idempotency: key === undefined ? null : { key, bodyHash: bodyHash(given) },
    };
    return this.ports.operations.start(request, readerOf(caller));
  }

  /** The operation, or null. */
  async get(caller: Caller, id: string): Promise<TaskOperation | null> {
    return isTaskId(id) ? this.ports.operations.get({ ...readerOf(caller), id: id.toLowerCase() }) : null;
  }

  /** What an undo of it would find now; null: it cannot be undone. */
  async undoReach(caller: Caller, { id }: Pick<TaskOperation, "id">): Promise<UndoReach | null> {
    return this.ports.operations.undoReach({ ...readerOf(caller), id });
  }

  /** A page of the operations, the newest first. */
  async list(caller: Caller, { states = [], actions = [], limit, before }: OperationList): Promise<OperationPage> {
    return this.ports.operations.list({ ...readerOf(caller), states, actions, limit, before: before ?? null });
  }

  /** A page of the tasks that it has changed. @throws TickwheelError `OPERATION_NOT_FOUND` */
  async tasksOf(
    caller: Caller,
    id: string,
    { outcomes = [], limit, after }: ChangedTaskList,
  ): Promise<ChangedTaskPage> {
    const found = await this.get(caller, id);
    if (found === null) throw noOperation(id);
    return this.ports.operations.tasksOf({
      ...readerOf(caller),
      operationId: found.id,
      outcomes,
      limit,
      after: after ?? null,
    });
  }

  /** No task is changed behind the answer, until it is resumed. @throws TickwheelError `OPERATION_STATE_CONFLICT` */
  async hold(caller: Caller, id: string, given: unknown = {}): Promise<TaskOperation> {
    return this.change(caller, id, { kind: "hold", ...reasonOf(given) });
  }

  /** It goes on where it stands, if it was on hold. @throws TickwheelError `OPERATION_STATE_CONFLICT`: it is over */
  async resume(caller: Caller, id: string, given: unknown = {}): Promise<TaskOperation> {
    return this.change(caller, id, { kind: "resume", ...reasonOf(given) });
  }

  /** It ends; what it has changed stays. @throws TickwheelError `OPERATION_STATE_CONFLICT` */
  async stop(caller: Caller, id: string, given: unknown = {}): Promise<TaskOperation> {
    return this.change(caller, id, { kind: "stop", ...reasonOf(given) });
  }

  /** Puts back what it has changed and nobody has touched. @throws TickwheelError `OPERATION_STATE_CONFLICT` */
  async undo(caller: Caller, id: string, given: unknown = {}): Promise<TaskOperation> {
    const { overdue, reason = null } = requireInput(undoInput, given);
    return this.change(caller, id, { kind: "undo", overdue: overdue ?? "leave", reason });
  }

  /**
   * Starts an operation that does the same to the tasks that this one has changed; once it is undone, to those that are
   * as they were.
   *
   * @throws TickwheelError `OPERATION_NOT_FOUND`, `OPERATION_STATE_CONFLICT`: what it changed is forgotten
   */
  async repeat(
    caller: Caller,
    id: string,
    { given = {}, idempotencyKey: key, headers }: Pick<CallOptions, "idempotencyKey" | "headers"> & { given?: unknown },
  ): Promise<TaskOperation> {
    requireOperator(caller);
    throwFaults(keyFaults({ idempotencyKey: key, headers }));
    const { reason } = reasonOf(given);
    const known = await this.get(caller, id);
    if (known === null) throw noOperation(id);
    if (known.forgottenAt !== null) throw forgotten(known);
    const { namespace, action, options, state } = known;
    const request = {
      namespace,
      action,
      options,
      reason: reason ?? known.reason,
      expect: null,
      actor: caller.actor,
      filter: { operation: known.id, ...(state === "undone" && { outcome: ["UNDONE"] as const }) },
      idempotency: key === undefined ? null : { key, bodyHash: bodyHash({ repeat: known.id, reason }) },
    };
    return this.ports.operations.start(request, readerOf(caller));
  }

  private async change(caller: Caller, id: string, change: Unsigned): Promise<TaskOperation> {
    requireOperator(caller);
    if (!isTaskId(id)) throw noOperation(id);
    const ref = { namespace: caller.namespace, id: id.toLowerCase() };
    return this.ports.operations.change(ref, { ...change, actor: caller.actor });
  }

  private async planOf({ namespace }: Caller, given: unknown): Promise<OperationPlan> {
    const { operations } = this.ports;
    const plan = toOperationPlan(requireInput(operationInput, given), { namespace, now: operations.nowMs() });
    return { ...plan, filter: await withNamesResolved(plan.filter, namespace, this.ports) };
  }
}

function forgotten({ id, state }: TaskOperation): TickwheelError {
  const text = `The operation ${id} cannot be repeated: what it changed is forgotten.`;
  return new TickwheelError("OPERATION_STATE_CONFLICT", text, { details: { state } });
}

/** A change without who asks for it. */
type Unsigned = OperationChange extends infer Change
  ? Change extends OperationChange
    ? Omit<Change, "actor">
    : never
  : never;

function reasonOf(given: unknown): { reason: string | null } {
  return { reason: requireInput(operationReasonInput, given ?? {}).reason ?? null };
}
