export { ClusterNode } from "./node/cluster-node.js";
export type {
  ClusterNodePorts,
  ClusterNodeSettings,
  ClusterOptions,
  ClusterStatus,
  EngineVitals,
  NodeStatus,
} from "./node/cluster-node-types.js";
export { Conditions, noteHealth, ONCE } from "./conditions/conditions.js";
export type { Degradation, Failure, IsTried, Part } from "./conditions/conditions.js";
export { FallbackCoordination } from "./messages/fallback-coordination.js";
export {
  type Heartbeat,
  type HeartbeatIdentity,
  type HeartbeatListener,
  type HeartbeatSnapshot,
  SNAPSHOT_INTERVAL_MS,
} from "./beats/heartbeat.js";
export { LoopHeartbeat, type LoopHeartbeatPorts, type LoopHeartbeatSettings } from "./beats/loop-heartbeat.js";
export { LoopWatch, type LoopWatchListener, type LoopWatchSettings } from "./beats/loop-watch.js";
export type { Membership, MembershipListener, Ownership } from "./views/membership.js";
export type { NodePhase } from "./node/node-state.js";
export { RendezvousOwnership } from "./views/ownership.js";
export { PeriodicLoop, type Pace } from "./conditions/periodic-loop.js";
export { inWords, RunningBoard, type RunningReading } from "./beats/running-board.js";
export { Throttle } from "./conditions/throttle.js";
