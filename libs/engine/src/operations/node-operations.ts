import type { OperationStore } from "@tickwheel/core";
import type { Announcer } from "../requests/announcer.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { PeriodicService } from "../runtime/periodic-service.js";
import { OperationKeeper } from "./operation-keeper.js";
import { OperationRunner } from "./operation-runner.js";
import { OperationService } from "./operation-service.js";

export interface NodeOperationParts {
  store: OperationStore;
  announcer: Announcer;
  /** The node's `ip:pid`. */
  label: string;
  /** Whether the node runs tasks: only then it makes pages of operations. */
  isEngine: boolean;
  /** A task of a batch has ended, or waits again. */
  batchTouched(batchId: string): void;
}

/** The operations of a node: their use cases, and with the engine what carries them out. */
export class NodeOperations {
  readonly service: OperationService;
  /** Background work; none without the engine. */
  readonly services: readonly PeriodicService[];

  constructor(context: EngineContext, { store, isEngine, ...parts }: NodeOperationParts) {
    const { random, dbClock, options } = context;
    const runner = new OperationRunner(context, { store, ...parts, pageSize: options.operationPageSize });
    const wake = (): void => (isEngine ? runner.wake() : undefined);
    this.service = new OperationService({ store, dbClock, random, mostOpen: options.openOperationsPerNamespace, wake });
    this.services = isEngine ? [runner, new OperationKeeper(context, store)] : [];
  }
}
