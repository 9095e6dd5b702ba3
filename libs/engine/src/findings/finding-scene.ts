import type {
  Breaker,
  BootId,
  EpochMs,
  FindingScene,
  HeldSnapshot,
  NodeRecord,
  NodeVitals,
  OverCapacity,
  PolicyConflict,
  SceneNode,
  SceneSettings,
  SchedulerOptions,
  StalledSchedules,
  TroubledBatches,
  TroubledOperation,
  TypeFiguresReading,
  UnsafeSetting,
  UnseenDead,
} from "@tickwheel/core";
import type { ClusterStatus, NodeStatus } from "@tickwheel/coordination";

export interface SceneInput {
  nowMs: EpochMs;
  /** `ip:pid` of the node that looks. */
  label: string;
  status: ClusterStatus;
  postgresAwayForMs: number | null;
  /** Null: they could not be read. */
  figures: TypeFiguresReading | null;
  settings: SceneSettings | null;
  breakers: readonly Breaker[];
  policyConflicts: readonly PolicyConflict[];
  stalledSchedules: readonly StalledSchedules[];
  troubledBatches: readonly TroubledBatches[];
  unseenDead: readonly UnseenDead[];
  troubledOperations: readonly TroubledOperation[];
  unsafeSettings: readonly UnsafeSetting[];
  heldSnapshots: readonly HeldSnapshot[];
  overCapacity: OverCapacity | null;
  options: SchedulerOptions;
  /** What nodes told last, also of those whose beats are gone. */
  lastVitals: ReadonlyMap<BootId, NodeVitals>;
}

/** The cluster's status and the figures, as the rules of findings look at them. Pure. */
export function findingScene(input: SceneInput): FindingScene {
  const { nowMs, label, status, postgresAwayForMs, figures, options, lastVitals } = input;
  const { settings, breakers, policyConflicts, stalledSchedules, troubledBatches, troubledOperations, unseenDead } =
    input;
  const { heartbeatIntervalMs, suspectAfterBeats, deadAfterBeats, sweepIntervalMs } = options;
  return {
    nowMs,
    self: { label, postgresAwayForMs, redis: redisOf(status) },
    leader: status.leader?.bootId ?? null,
    nodes: [
      ...status.nodes.map((node) => sceneNode(node, lastVitals.get(node.bootId) ?? null)),
      ...status.former.map(formerNode),
    ],
    types: figures?.types ?? null,
    typesCountedAt: figures?.countedAt ?? nowMs,
    settings,
    breakers,
    policyConflicts,
    stalledSchedules,
    troubledBatches,
    troubledOperations,
    unseenDead,
    unsafeSettings: input.unsafeSettings,
    heldSnapshots: input.heldSnapshots,
    overCapacity: input.overCapacity,
    limits: {
      suspectAfterMs: suspectAfterBeats * heartbeatIntervalMs,
      deadAfterMs: deadAfterBeats * heartbeatIntervalMs,
      sweepMs: sweepIntervalMs,
    },
  };
}

function redisOf({ coordination }: ClusterStatus): FindingScene["self"]["redis"] {
  if (coordination === "postgres") return "none";
  return coordination === "redis" ? "works" : "away";
}

function sceneNode(node: NodeStatus, vitals: NodeVitals | null): SceneNode {
  const { bootId, label, version, state, roles, typeIds, joinedAt, heartbeatAgeMs } = node;
  const { name = label, endedAt = null } = node;
  const told = { bootId, label, name, version, state, roles, typeIds, joinedAt, endedAt };
  return { ...told, beatAgeMs: heartbeatAgeMs, vitals: node.vitals ?? vitals };
}

function formerNode({
  bootId,
  label,
  name = label,
  version,
  roles,
  typeIds,
  joinedAt,
  endedAt = null,
}: NodeRecord): SceneNode {
  const told = { bootId, label, name, version, roles, typeIds, joinedAt, endedAt };
  return { ...told, state: "left", beatAgeMs: null, vitals: null };
}
