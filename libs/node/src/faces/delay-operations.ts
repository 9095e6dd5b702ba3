import {
  asDate,
  type Caller,
  type ChangedTaskView,
  type DryRunView,
  OperationCalls,
  type OperationInput,
  type OperationView,
  readCall,
  toChangedTaskView,
  toDryRunView,
  toOperationView,
  type UndoInput,
} from "@tickwheel/calls";
import type { OperationAction, OperationState, TaskOperation, TaskOutcome, UndoReach } from "@tickwheel/core";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { applicationOf } from "./code-face.js";

/** Which operations a list shows. */
export interface OperationFilter {
  /** Operations in one of these states. Default: any. */
  states?: readonly OperationState[];
  /** Operations that do one of these. Default: any. */
  actions?: readonly OperationAction[];
  /** How many the page holds at most, 1 to 200. Default: 50. */
  limit?: number;
  /** The `next` of the page before. Default: the first page. */
  before?: string;
}

/** Which of the tasks that an operation has changed. */
export interface ChangedTaskFilter {
  /** Tasks of which one of these became. Default: any. */
  outcomes?: readonly TaskOutcome[];
  /** How many the page holds at most, 1 to 200. Default: 50. */
  limit?: number;
  /** The `next` of the page before. Default: the first page. */
  after?: string;
}

const DEFAULT_LIMIT = 50;

/**
 * Operations on many tasks: one thing done to all tasks that a filter means, tried dry first, and undone for 24 hours.
 * A started operation goes on by itself: any node with the engine carries it out, page by page, and a node that dies is
 * followed by another one. No call joins a transaction. In memory there are none (`UNSUPPORTED`).
 *
 * @example
 * const asked = { action: "cancel", filter: { type: "report.render", states: ["scheduled"] } } as const;
 * const { count, sample } = await delayTasks.operations.dryRun(asked);
 * const { id } = await delayTasks.operations.start({ ...asked, expect: count, reason: "wrong template" });
 * await delayTasks.operations.undo(id);
 */
export class DelayOperations {
  private readonly calls: OperationCalls;
  private readonly caller: Caller;

  constructor(private readonly node: DelayTaskNode) {
    this.calls = new OperationCalls(node);
    this.caller = applicationOf(node);
  }

  /**
   * Counts what an operation would change now, and shows the ten newest; changes nothing. It looks for a second at
   * most: `incomplete` says that it did not see all.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, `STORE_UNAVAILABLE`
   */
  async dryRun(operation: OperationInput): Promise<DryRunView> {
    const { plan, dryRun } = await this.calls.dryRun(this.caller, given(operation));
    return toDryRunView(dryRun, plan, asDate);
  }

  /**
   * Starts an operation. Tasks that are created later are not touched.
   *
   * @param options `idempotencyKey`: of several calls with the same one the first starts it, and the others get it;
   *   default: none
   * @throws TickwheelError `VALIDATION_FAILED` with every fault (without a type, ids, a batch, a fingerprint or a key
   *   the filter must say `all: true`), `OPERATION_COUNT_CHANGED` (`details.count`), `IDEMPOTENCY_KEY_REUSED`,
   *   `RATE_LIMITED` (the namespace has too many open ones), `STORE_UNAVAILABLE`
   */
  async start(operation: OperationInput, options: { idempotencyKey?: string } = {}): Promise<OperationView> {
    const { idempotencyKey } = options;
    return this.shown(await this.calls.start(this.caller, given(operation), { idempotencyKey }));
  }

  /** The operation, or null. @throws TickwheelError `STORE_UNAVAILABLE` */
  async get(id: string): Promise<OperationView | null> {
    const found = await this.calls.get(this.caller, id);
    return found && this.shown(found);
  }

  /** What an undo would find now of the newest 1,000 tasks that it has changed; null: it cannot be undone. */
  async undoReach(id: string): Promise<UndoReach | null> {
    const found = await this.calls.get(this.caller, id);
    return found && this.calls.undoReach(this.caller, found);
  }

  /** A page of the operations, the newest first. @throws TickwheelError `STORE_UNAVAILABLE` */
  async list(filter: OperationFilter = {}): Promise<{ operations: OperationView[]; next: string | null }> {
    const { operations, next } = await this.calls.list(this.caller, { limit: DEFAULT_LIMIT, ...filter });
    return { operations: operations.map((operation) => this.shown(operation)), next };
  }

  /**
   * A page of the tasks that an operation has changed, and what became of each at the undo.
   *
   * @throws TickwheelError `OPERATION_NOT_FOUND`, `STORE_UNAVAILABLE`
   */
  async tasksOf(
    id: string,
    filter: ChangedTaskFilter = {},
  ): Promise<{ tasks: ChangedTaskView[]; next: string | null }> {
    const { tasks, next } = await this.calls.tasksOf(this.caller, id, { limit: DEFAULT_LIMIT, ...filter });
    return { tasks: tasks.map((task) => toChangedTaskView(task, asDate)), next };
  }

  /**
   * Holds an operation, or its undo: no task is changed after the answer, until it is resumed.
   *
   * @throws TickwheelError `OPERATION_NOT_FOUND`, `OPERATION_STATE_CONFLICT`, `STORE_UNAVAILABLE`
   */
  async hold(id: string, options: { reason?: string } = {}): Promise<OperationView> {
    return this.shown(await this.calls.hold(this.caller, id, options));
  }

  /**
   * Lets an operation on hold, or its undo, go on where it stands. One that is open and not on hold stays as it is.
   *
   * @throws TickwheelError as of `hold`; `OPERATION_STATE_CONFLICT`: it is over
   */
  async resume(id: string, options: { reason?: string } = {}): Promise<OperationView> {
    return this.shown(await this.calls.resume(this.caller, id, options));
  }

  /** Stops an operation for good; what it has changed stays. @throws TickwheelError as of `hold` */
  async stop(id: string, options: { reason?: string } = {}): Promise<OperationView> {
    return this.shown(await this.calls.stop(this.caller, id, options));
  }

  /**
   * Puts back what an operation has changed and nobody has touched since, within 24 hours of its end. `leftBehind` and
   * `tasksOf` tell what it could not put back.
   *
   * @param options `overdue`: what would have come due since: `leave` it, or `run` it now; default `leave`
   * @throws TickwheelError as of `hold`
   */
  async undo(id: string, options: UndoInput = {}): Promise<OperationView> {
    return this.shown(await this.calls.undo(this.caller, id, given(options)));
  }

  /**
   * Does the same again to the tasks that an operation has changed; once it is undone, to those that are as they were.
   *
   * @param options `idempotencyKey` as of `start`
   * @throws TickwheelError `OPERATION_NOT_FOUND`, `OPERATION_STATE_CONFLICT` (what it changed is forgotten), and as of
   *   `start`
   */
  async repeat(id: string, options: { reason?: string; idempotencyKey?: string } = {}): Promise<OperationView> {
    const { idempotencyKey, ...reason } = options;
    return this.shown(await this.calls.repeat(this.caller, id, { given: given(reason), idempotencyKey }));
  }

  private shown(operation: TaskOperation): OperationView {
    return toOperationView(operation, this.node.operations.nowMs(), asDate);
  }
}

/** Read once, at the call. */
function given(input: object): unknown {
  return readCall(() => ({ ...input }));
}
