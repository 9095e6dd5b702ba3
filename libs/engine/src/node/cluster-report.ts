import { type QuarantineState, SLOT_COUNT } from "@tickwheel/core";
import type { ClusterStatus, HealthIssue, NodeStatus } from "@tickwheel/coordination";
import type { ClusterReport, GoneNode, NodeReport } from "../requests/requests.js";
import type { TypeDirectory } from "../types/type-directory.js";

interface ReportInput {
  status: ClusterStatus;
  quarantine: QuarantineState | null;
  /** Null: not known. */
  gone: GoneNode[] | null;
  types: Pick<TypeDirectory, "get">;
  /** The estimated database time. */
  nowMs: number;
}

/** The cluster as `GET /cluster` shows it: with instants instead of ages and with types by name. */
export function clusterReport({ status, quarantine, gone, types, nowMs }: ReportInput): ClusterReport {
  const degraded = [...status.degraded, ...waitingSuspects(quarantine)];
  return {
    coordination: status.coordination,
    leader: status.leader,
    view: status.view,
    slots: SLOT_COUNT,
    degraded: degraded.map(({ part, forMs, detail }) => ({ part, since: Math.round(nowMs - forMs), detail })),
    nodes: status.nodes.map((node) => nodeReport(node, types)),
    gone,
  };
}

/** What tasks wait for that ran in a blocked loop when their node died. */
function waitingSuspects(quarantine: QuarantineState | null): HealthIssue[] {
  if (quarantine === null) return [];
  const { occupant, waiting } = quarantine;
  const ahead =
    occupant === null
      ? "the next one is about to start"
      : `task ${occupant.id} of type ${occupant.type} runs on node ${occupant.node ?? "unknown"}`;
  const detail = `${waiting} tasks that ran in a blocked event loop wait to run one at a time; ${ahead}`;
  return [{ part: "engine.quarantine", forMs: occupant?.forMs ?? 0, detail }];
}

function nodeReport(node: NodeStatus, types: Pick<TypeDirectory, "get">): NodeReport {
  const { vitals } = node;
  const names = node.typeIds.flatMap((typeId) => types.get(typeId)?.type ?? []);
  return {
    label: node.label,
    name: node.name ?? node.label,
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
    places: vitals?.places ?? 0,
    joinedAt: node.joinedAt,
    blocked: blockedOf(node),
    away: vitals?.away ?? [],
  };
}

/** Its loop has gone on being blocked since the beat that told it. */
function blockedOf({ vitals, heartbeatAgeMs }: NodeStatus): NodeReport["blocked"] {
  const blocked = vitals?.blocked ?? null;
  return blocked && { ...blocked, forMs: Math.round(blocked.forMs + (heartbeatAgeMs ?? 0)) };
}
