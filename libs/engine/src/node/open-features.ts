import type { AnnouncedSchedule } from "@tickwheel/schedules";
import type { Ownership } from "@tickwheel/coordination";
import { NodeBatches } from "../batches/node-batches.js";
import { NodeOperations } from "../operations/node-operations.js";
import { NodeQueues } from "../pulling/node-queues.js";
import type { Announcer } from "../requests/announcer.js";
import { continueSeries } from "../requests/continue-series.js";
import type { TypeDefaults } from "../requests/requests.js";
import type { TaskService } from "../requests/task-service.js";
import { timedLeaseStore } from "../runtime/timed-stores.js";
import { NodeSchedules } from "../schedules/node-schedules.js";
import type { TypeDirectory } from "../types/type-directory.js";
import type { ClusterNode } from "@tickwheel/coordination";
import type { NodeContext } from "./node-context.js";
import type { SchedulerNodeOptions, SchedulerNodePorts } from "./scheduler-node-options.js";

/** What a node offers beside tasks. Null: there is no store of it. */
export interface NodeFeatures {
  schedules: NodeSchedules | null;
  batches: NodeBatches | null;
  operations: NodeOperations | null;
  queues: NodeQueues | null;
}

interface FeatureParts {
  ports: SchedulerNodePorts;
  options: SchedulerNodeOptions;
  types: TypeDirectory;
  service: TaskService;
  /** Null: this node is no member of the cluster. */
  member: ClusterNode | null;
  announcer: Announcer;
  ownership: () => Ownership;
  defaultsOf: (namespace: string, type: string) => TypeDefaults;
}

/** Puts together what a node offers beside tasks. */
export function openFeatures(context: NodeContext, parts: FeatureParts): NodeFeatures {
  const batches = openBatches(context, parts);
  return {
    schedules: openSchedules(context, parts),
    batches,
    operations: openOperations(context, parts, batches),
    queues: openQueues(context, parts),
  };
}

function openSchedules(context: NodeContext, parts: FeatureParts): NodeSchedules | null {
  const { ports, options, types, service, member, announcer, defaultsOf } = parts;
  if (!ports.schedules) return null;
  return new NodeSchedules(context, {
    announcer,
    types,
    member,
    defaultsOf,
    store: ports.schedules,
    quota: service.quota,
    definitions: (): readonly AnnouncedSchedule[] => options.schedules ?? [],
  });
}

function openBatches(context: NodeContext, parts: FeatureParts): NodeBatches | null {
  const { ports, service, announcer, ownership, member } = parts;
  if (!ports.batches) return null;
  return new NodeBatches(context, { store: ports.batches, service, announcer, ownership, isEngine: member !== null });
}

function openOperations(
  context: NodeContext,
  { ports, options, announcer, member }: FeatureParts,
  batches: NodeBatches | null,
): NodeOperations | null {
  if (!ports.operations) return null;
  return new NodeOperations(context, {
    store: ports.operations,
    announcer,
    label: options.label,
    isEngine: member !== null,
    batchTouched: (batchId) => batches?.memberTouched(batchId),
  });
}

function openQueues(context: NodeContext, parts: FeatureParts): NodeQueues | null {
  const { ports, options, types, service, member, announcer } = parts;
  const { clock, leases, claimSecrets: secrets, coordination, tasks, random } = ports;
  if (!leases || !secrets) return null;
  return new NodeQueues(context, {
    clock,
    secrets,
    coordination,
    types,
    member,
    leases: timedLeaseStore(leases, clock, options.scheduler.statementTimeoutMs),
    publish: (hints) => announcer.publish(hints),
    ended: (id) => service.ends.ended(id),
    goOn: (started) => continueSeries(started, { tasks, random, service }),
  });
}
