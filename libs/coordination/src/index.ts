export { ClusterNode } from "./node/cluster-node.js";
export type {
  ClusterNodePorts,
  ClusterNodeOptions,
  ClusterOptions,
  ClusterStatus,
  EngineVitals,
  NodeStatus,
} from "./node/cluster-node-ports.js";
export { Health, noteHealth, ONCE } from "./health/health.js";
export type { HealthIssue, Failure, IsTried, HealthPart } from "./health/health.js";
export { FallbackCoordination } from "./messages/fallback-coordination.js";
export {
  type Heartbeat,
  type HeartbeatIdentity,
  type HeartbeatListener,
  type GoodBeat,
  type HeartbeatSnapshot,
  SNAPSHOT_INTERVAL_MS,
} from "./beats/heartbeat.js";
export { LoopHeartbeat, type LoopHeartbeatPorts, type LoopHeartbeatOptions } from "./beats/loop-heartbeat.js";
export { LoopWatch, type LoopWatchListener, type LoopWatchOptions } from "./beats/loop-watch.js";
export type { Membership, MembershipListener, Ownership } from "./views/membership.js";
export type { NodePhase } from "./node/node-state.js";
export { RendezvousOwnership } from "./views/ownership.js";
export { PeriodicLoop, type Pace } from "./health/periodic-loop.js";
export { inWords, RunningHandlers, type RunningReading } from "./beats/running-handlers.js";
export { Throttle } from "./health/throttle.js";
