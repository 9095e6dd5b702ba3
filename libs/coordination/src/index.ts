export { ClusterNode } from "./cluster-node.js";
export type {
  ClusterNodePorts,
  ClusterNodeSettings,
  ClusterOptions,
  ClusterStatus,
  EngineVitals,
  NodeStatus,
} from "./cluster-node-types.js";
export { Conditions, noteHealth, ONCE } from "./conditions.js";
export type { Degradation, Failure, IsTried, Part } from "./conditions.js";
export { FallbackCoordination } from "./fallback-coordination.js";
export {
  type Heartbeat,
  type HeartbeatIdentity,
  type HeartbeatListener,
  type HeartbeatSnapshot,
  SNAPSHOT_INTERVAL_MS,
} from "./heartbeat.js";
export { LoopHeartbeat, type LoopHeartbeatPorts, type LoopHeartbeatSettings } from "./loop-heartbeat.js";
export { LoopWatch, type LoopWatchListener, type LoopWatchSettings } from "./loop-watch.js";
export type { Membership, MembershipListener, Ownership } from "./membership.js";
export type { NodePhase } from "./node-state.js";
export { RendezvousOwnership } from "./ownership.js";
export { PeriodicLoop, type Pace } from "./periodic-loop.js";
export { inWords, RunningBoard, type RunningReading } from "./running-board.js";
export { Throttle } from "./throttle.js";
