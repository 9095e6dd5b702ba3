import type { BatchStore, ClaimedTask } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { TaskService } from "../requests/task-service.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { PeriodicService } from "../runtime/periodic-service.js";
import type { Announcer } from "../requests/announcer.js";
import { BatchChecker } from "./batch-checker.js";
import { BatchService } from "./batch-service.js";

export interface NodeBatchParts {
  store: BatchStore;
  service: TaskService;
  announcer: Announcer;
  ownership: () => Ownership;
  /** Whether the node runs tasks: only then it brings batches to their end by itself. */
  isEngine: boolean;
}

/** The batches of a node: their use cases, and with the engine the checker that brings them to their end. */
export class NodeBatches {
  readonly service: BatchService;
  /** Background work; none without the engine. */
  readonly services: readonly PeriodicService[];
  private readonly checker: BatchChecker;

  constructor(context: EngineContext, { store, service, announcer, ownership, isEngine }: NodeBatchParts) {
    const { random, dbClock, options } = context;
    const limits = { open: options.openBatchQuotaPerNamespace, members: options.memberQuotaPerBatch };
    this.checker = new BatchChecker(context, { store, service, announcer, random, mostMembers: limits.members });
    const wake = (): void => (isEngine ? this.checker.wake() : undefined);
    this.service = new BatchService({ store, service, dbClock, random, ownership, limits, wake });
    this.services = isEngine ? [this.checker] : [];
  }

  /** A member of the batch has ended, or waits again, by an operation. */
  memberTouched(batchId: string): void {
    this.checker.memberTouched(batchId);
  }

  /** An execution of this node has ended its task. */
  taskEnded(task: Pick<ClaimedTask, "member">): void {
    this.checker.taskEnded(task);
  }
}
