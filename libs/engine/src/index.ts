export { ExecutionCancelledError, ExecutionTimeoutError, NodeDrainingError } from "./abort-reasons.js";
export type { NodeHoldings } from "./node-holdings.js";
export { SchedulerNode } from "./scheduler-node.js";
export type { NodeType, SchedulerNodeOptions, SchedulerNodePorts } from "./scheduler-node.js";
export type { StartStep } from "./store-patience.js";
export { TaskService } from "./task-service.js";
export type { ScheduleManyOptions, ServiceStats, TaskServiceParts } from "./task-service.js";
export * from "./task-service-types.js";
