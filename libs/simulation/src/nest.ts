/** The simulation of a Nest application's own handlers, in a cluster with faults. */
export type {
  ApplicationBuilder,
  FaultKinds,
  Scenario,
  SimulatedApplication,
  SimulatedClusterOptions,
  SimulatedNode,
} from "./nest/cluster-options.js";
export { ClusterReport, type DrawnFault } from "./nest/cluster-report.js";
export type { Moment, Strike } from "./nest/fault-draw.js";
export { NodeEffects, SimulatedTransaction } from "./nest/node-effects.js";
export type { DoneEffect, SimulatedTask } from "./nest/run-journal.js";
export {
  type SeedsSummary,
  simulateCluster,
  simulateSeeds,
  type SimulatedSeedsOptions,
} from "./nest/simulate-cluster.js";
