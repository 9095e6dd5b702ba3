import {
  type ChangedTaskFilter,
  type ChangedTaskPage,
  type DryRun,
  type EpochMs,
  type NamespaceReader,
  type NewOperation,
  newTaskId,
  type OperationChange,
  type OperationFilter,
  type OperationPage,
  type OperationPlan,
  type OperationRef,
  type OperationStore,
  type Random,
  type StartOperationReply,
  type TaskOperation,
  TickwheelError,
  type UndoReach,
} from "@tickwheel/core";
import type { DbClock } from "../runtime/db-clock.js";

/** An operation as a caller wants it, its fields checked. */
export interface OperationRequest extends OperationPlan {
  actor: string;
  reason: string | null;
  /** How many tasks a dry run has counted; null: nobody has. */
  expect: number | null;
  idempotency: NewOperation["idempotency"];
}

export interface OperationServiceParts {
  store: OperationStore;
  dbClock: Pick<DbClock, "ensureSet" | "nowMs">;
  random: Random;
  /** Most operations of a namespace that are open. */
  mostOpen: number;
  /** A page is due now. */
  wake(): void;
}

/** By so much the count of a start may differ from that of its dry run, as a share of it. */
const COUNT_TOLERANCE = 0.1;

/**
 * Every use case of operations, for all edges alike. An action that is asked of one is written before the answer, and
 * carried out by whichever node is there. On failure `STORE_UNAVAILABLE`: whether it was written is then unknown; a
 * start under an idempotency key can be repeated safely.
 */
export class OperationService {
  constructor(private readonly parts: OperationServiceParts) {}

  /** Counts what an operation would change now, for a second at most. */
  dryRun(plan: OperationPlan, reader: NamespaceReader): Promise<DryRun> {
    return this.parts.store.dryRun(plan, reader);
  }

  /**
   * Starts an operation. It counts first what fits, for its progress and for `expect`.
   *
   * @throws TickwheelError `OPERATION_COUNT_CHANGED` (`details.count`), `IDEMPOTENCY_KEY_REUSED`, `RATE_LIMITED`: the
   *   namespace has too many open operations
   */
  async start(request: OperationRequest, reader: NamespaceReader): Promise<TaskOperation> {
    const { store, dbClock, random, mostOpen } = this.parts;
    const { expect, actor, reason, idempotency, ...plan } = request;
    const { namespace } = plan;
    const before = idempotency && (await store.startedBefore({ namespace, idempotency }));
    if (before) return requireStarted(before);
    const counted = await store.dryRun(plan, reader);
    if (expect !== null) requireExpected(counted, expect);
    await dbClock.ensureSet();
    const id = newTaskId(Math.round(dbClock.nowMs()), 0, random);
    const estimate = counted.incomplete || counted.isAtLeast ? null : counted.count;
    const reply = await store.start({ id, ...plan, actor, reason, estimate, idempotency }, { open: mostOpen });
    if (reply.outcome === "started") this.parts.wake();
    return requireStarted(reply);
  }

  /** The operation, or null. */
  get(ref: OperationRef & NamespaceReader): Promise<TaskOperation | null> {
    return this.parts.store.get(ref);
  }

  list(filter: OperationFilter): Promise<OperationPage> {
    return this.parts.store.list(filter);
  }

  tasksOf(filter: ChangedTaskFilter): Promise<ChangedTaskPage> {
    return this.parts.store.tasksOf(filter);
  }

  /** What an undo would find now; null: it cannot be undone. */
  undoReach(ref: OperationRef & NamespaceReader): Promise<UndoReach | null> {
    return this.parts.store.undoReach(ref);
  }

  /**
   * Holds, resumes, stops or undoes an operation. No page of it commits behind the answer to a hold or a stop.
   *
   * @throws TickwheelError `OPERATION_NOT_FOUND`, `OPERATION_STATE_CONFLICT`
   */
  async change(ref: OperationRef, change: OperationChange): Promise<TaskOperation> {
    const reply = await this.parts.store.change(ref, change);
    if (reply.outcome === "not_found") throw noOperation(ref.id);
    if (reply.outcome === "state_conflict") throw stateConflict(reply.operation, change);
    if (reply.outcome === "changed") this.parts.wake();
    return reply.operation;
  }

  /** The database's now, as this node estimates it. */
  nowMs(): EpochMs {
    return Math.round(this.parts.dbClock.nowMs());
  }
}

function requireStarted(reply: StartOperationReply): TaskOperation {
  if (reply.outcome === "key_reused")
    throw new TickwheelError("IDEMPOTENCY_KEY_REUSED", "The idempotency key was used for another operation.");
  if (reply.outcome === "too_many")
    throw new TickwheelError("RATE_LIMITED", `The namespace has ${reply.open} open operations: wait for one to end.`);
  return reply.operation;
}

export function noOperation(id: string): TickwheelError {
  return new TickwheelError("OPERATION_NOT_FOUND", `There is no operation ${id}.`);
}

function stateConflict({ id, state, forgottenAt }: TaskOperation, { kind }: OperationChange): TickwheelError {
  const verb = { hold: "be held", resume: "be resumed", stop: "be stopped", undo: "be undone" }[kind];
  const why = kind === "undo" && forgottenAt !== null ? "what it changed is forgotten" : `it is ${state}`;
  return new TickwheelError("OPERATION_STATE_CONFLICT", `The operation ${id} cannot ${verb}: ${why}.`, {
    details: { state },
  });
}

/** A count that ended early says nothing that could be compared. */
function requireExpected({ count, incomplete, isAtLeast }: DryRun, expect: number): void {
  const isNear = Math.abs(count - expect) <= Math.floor(expect * COUNT_TOLERANCE);
  if (isNear || incomplete || (isAtLeast && expect >= count)) return;
  throw new TickwheelError(
    "OPERATION_COUNT_CHANGED",
    `${count} tasks fit now, and ${expect} were expected: nothing was done.`,
    { details: { count, expect } },
  );
}
