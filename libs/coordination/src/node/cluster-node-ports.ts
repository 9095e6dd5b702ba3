import type {
  BootId,
  Clock,
  ClusterEventSink,
  ClusterStore,
  Coordination,
  NodeRecord,
  NodeVitals,
  Random,
  SchedulerOptions,
  Telemetry,
  TypeId,
} from "@tickwheel/core";
import type { Health, HealthIssue } from "../health/health.js";
import type { Heartbeat } from "../beats/heartbeat.js";

/** The options that membership needs, with the documented defaults; `resolveOptions` checks their relations. */
export type ClusterOptions = Pick<
  SchedulerOptions,
  | "heartbeatIntervalMs"
  | "livenessPollMs"
  | "suspectAfterBeats"
  | "selfFenceAfterBeats"
  | "deadAfterBeats"
  | "leaderTtlMs"
>;

export interface ClusterNodePorts {
  clock: Clock;
  random: Random;
  store: ClusterStore;
  /** Where `status` reads the nodes. Default: the store, whose connections are the cluster's own. */
  reports?: Pick<ClusterStore, "readNodes">;
  /** Started and stopped by its maker; the node holds its one subscription. */
  coordination: Coordination;
  telemetry: Telemetry;
  /** Where this node tells what it sees of the others. Default: nowhere. */
  events?: ClusterEventSink;
  /** Default: a `LoopHeartbeat` on these ports. */
  heartbeat?: Heartbeat;
  /** Where this node notes its failures, together with those of its other parts. Default: a `Health` of its own. */
  health?: Health;
}

export interface ClusterNodeOptions {
  /** `ip:pid`. */
  label: string;
  /** For people; default the label. */
  name?: string;
  version: string;
  roles: readonly string[];
  /** What this node can run; `updateTypes` changes it. */
  typeIds: readonly TypeId[];
  options: ClusterOptions;
  /** What the engine knows about itself. It is asked with each beat, so it must be quick. Default: zeros. */
  vitals?: () => EngineVitals;
}

/** The part of a node's vitals that membership does not know. */
export type EngineVitals = Pick<
  NodeVitals,
  "loopLagMs" | "clockOffsetMs" | "wheelSize" | "inFlight" | "places" | "signsWebhooks" | "settings" | "waits"
>;

/** The cluster as this node sees it. */
export interface ClusterStatus {
  /** `postgres-degraded`: Redis is configured, but does not work now. */
  coordination: "redis" | "postgres" | "postgres-degraded";
  leader: { node: string; bootId: string; term: number } | null;
  /** Number of the newest view; 0 before the first. */
  view: number;
  degraded: HealthIssue[];
  nodes: NodeStatus[];
  /** Those that have said goodbye; the newest hundred at most, with the dead ones. */
  former: NodeRecord[];
}

export interface NodeStatus extends Omit<NodeRecord, "state"> {
  state: "joining" | "live" | "suspect" | "draining" | "dead";
  /** How long its beat has stood still; null if no beat of it was ever seen. */
  heartbeatAgeMs: number | null;
  /** As of its newest beat; null if none was ever seen. */
  vitals: NodeVitals | null;
}

/** The beginning of an incarnation. */
export interface Beginning {
  bootId: BootId;
  joinedMonoMs: number;
  signal: AbortSignal;
  joined: () => void;
}
