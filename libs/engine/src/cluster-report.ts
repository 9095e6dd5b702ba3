import { SLOT_COUNT } from "@tickwheel/core";
import type { ClusterStatus, NodeStatus } from "@tickwheel/coordination";
import type { Condition } from "./conditions.js";
import type { ClusterReport, NodeReport } from "./task-service-types.js";
import type { TypeDirectory } from "./type-directory.js";

interface ReportInput {
  status: ClusterStatus;
  /** What fails in this node's engine. */
  conditions: readonly Condition[];
  types: Pick<TypeDirectory, "get">;
  /** The estimated database time and the monotonic time of the same instant. */
  nowMs: number;
  nowMonoMs: number;
}

/** The cluster as `GET /cluster` shows it: with instants instead of ages and with types by name. */
export function clusterReport({ status, conditions, types, nowMs, nowMonoMs }: ReportInput): ClusterReport {
  const inCluster = status.degraded.map(({ part, forMs, detail }) => ({ part, since: since(nowMs, forMs), detail }));
  const inEngine = conditions.map(({ part, sinceMonoMs, detail }) => ({
    part: `engine.${part}`,
    since: since(nowMs, nowMonoMs - sinceMonoMs),
    detail,
  }));
  return {
    coordination: status.coordination,
    leader: status.leader,
    view: status.view,
    slots: SLOT_COUNT,
    degraded: [...inCluster, ...inEngine],
    nodes: status.nodes.map((node) => nodeReport(node, types)),
  };
}

function nodeReport(node: NodeStatus, types: Pick<TypeDirectory, "get">): NodeReport {
  const { vitals } = node;
  const names = node.typeIds.flatMap((typeId) => types.get(typeId)?.type ?? []);
  return {
    label: node.label,
    bootId: node.bootId,
    version: node.version,
    state: node.state,
    roles: node.roles,
    typeIds: node.typeIds,
    types: [...new Set(names)].sort(),
    heartbeatAgeMs: Math.round(node.heartbeatAgeMs ?? 0),
    loopLagMs: vitals?.loopLagMs ?? 0,
    clockOffsetMs: vitals?.clockOffsetMs ?? 0,
    ownedSlots: vitals?.ownedSlots ?? 0,
    wheelSize: vitals?.wheelSize ?? 0,
    inFlight: vitals?.inFlight ?? 0,
  };
}

function since(nowMs: number, forMs: number): number {
  return Math.round(nowMs - forMs);
}
