import { SLOT_COUNT } from "@tickwheel/core";
import type { ClusterStatus, NodeStatus } from "@tickwheel/coordination";
import type { ClusterReport, NodeReport } from "./task-service-types.js";
import type { TypeDirectory } from "./type-directory.js";

interface ReportInput {
  status: ClusterStatus;
  types: Pick<TypeDirectory, "get">;
  /** The estimated database time. */
  nowMs: number;
}

/** The cluster as `GET /cluster` shows it: with instants instead of ages and with types by name. */
export function clusterReport({ status, types, nowMs }: ReportInput): ClusterReport {
  return {
    coordination: status.coordination,
    leader: status.leader,
    view: status.view,
    slots: SLOT_COUNT,
    degraded: status.degraded.map(({ part, forMs, detail }) => ({ part, since: Math.round(nowMs - forMs), detail })),
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
