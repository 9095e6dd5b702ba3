import type { CallerTransaction } from "@tickwheel/core";
import { type NodeType, SchedulerNode } from "@tickwheel/engine";
import { HandlerExecutor, type TransactionRunner } from "@tickwheel/executors";
import {
  AnnouncedSchemas,
  DelayTaskNode,
  PayloadCheck,
  resolveDelayTaskOptions,
  type TransactionAdapter,
} from "@tickwheel/nestjs";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import type { MemoryWorld } from "@tickwheel/testing";
import type { JointDataSource } from "./joint-data-source.js";

/** Nobody connects to it. */
export const NOWHERE = "postgres://nowhere.invalid/shop";

/**
 * The node of a Nest application with its stores in memory; else it is put together as `openDelayTaskNode` does it.
 *
 * @param joint what `{ manager }` and `ctx.transaction` run on; default: nothing
 */
export function memoryNode(
  world: MemoryWorld,
  joint: JointDataSource | undefined,
): { node: DelayTaskNode; scheduler: SchedulerNode } {
  const { clock, random, tasks, effects, cluster, schedules: store, batches, coordination } = world.join("shop");
  const { telemetry } = world;
  const options = resolveDelayTaskOptions({ url: NOWHERE, autoStart: false });
  const runTransaction = joint ? (joint.transaction.bind(joint) as TransactionRunner<never>) : null;
  const handlers = new HandlerExecutor({
    ...{ tasks, effects, clock },
    runTransaction: runTransaction as TransactionRunner | null,
  });
  const types: NodeType[] = [];
  const schedules: AnnouncedSchedule[] = [];
  const scheduler = new SchedulerNode(
    { clock, random, telemetry, tasks, cluster, coordination, schedules: store, batches, executors: [handlers] },
    {
      namespace: options.namespace,
      label: "shop",
      version: "0.0.0",
      roles: ["api", "engine"],
      types,
      schedules,
      scheduler: options.scheduler,
    },
  );
  const announced = new AnnouncedSchemas(
    (named) => scheduler.service.policyOf(named),
    (event) => telemetry.emit(event),
  );
  const parts = {
    payloads: new PayloadCheck(options.namespace, announced),
    ...{ node: scheduler, handlers, types, schedules, clock, preparations: [] },
    stores: { effects, close: () => Promise.resolve() },
    webhooks: { close: () => undefined },
    telemetry: { use: () => undefined, emit: () => undefined },
    schema: { requireDone: () => undefined },
    drive: (work: () => Promise<void>) => work(),
    isByHand: false,
  };
  const transactions: TransactionAdapter<CallerTransaction> | null = joint
    ? { run: runTransaction as TransactionRunner, statements: (manager) => manager }
    : null;
  return { node: new DelayTaskNode({ ...options, transactions }, parts as never), scheduler };
}
