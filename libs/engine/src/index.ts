export { EventCounts } from "./counting/event-counts.js";
export { ExecutionCancelledError, ExecutionTimeoutError, NodeDrainingError } from "./held/abort-reasons.js";
export type { NodeHoldings } from "./held/node-holdings.js";
export { SchedulerNode } from "./node/scheduler-node.js";
export type { NodeType, SchedulerNodeOptions, SchedulerNodePorts } from "./node/scheduler-node-options.js";
export { type BatchRequest, BatchService, noBatch } from "./batches/batch-service.js";
export { noOperation, type OperationRequest, OperationService } from "./operations/operation-service.js";
export { reviewBy } from "./batches/follow-up.js";
export { definitionOf } from "./schedules/schedule-decision.js";
export type { BackfillAnswer, BackfillRequest } from "./schedules/schedule-backfills.js";
export {
  type PutSchedule,
  type ScheduleRequest,
  ScheduleService,
  type VersionedPayload,
} from "./schedules/schedule-service.js";
export type { StartStep } from "./node/start-retries.js";
export {
  AHEAD_RANGES,
  type AheadRange,
  FigureService,
  type Forecast,
  HISTORY_RANGES,
  type HistoryRange,
} from "./findings/figure-service.js";
export type { ClusterWheel, NodeShare, Share } from "./findings/cluster-wheel.js";
export type { AwaitedTask, WaitBounds } from "./requests/end-waits.js";
export { continueSeries } from "./requests/continue-series.js";
export { TaskService } from "./requests/task-service.js";
export { taskDefaults, type TaskDefaults } from "./requests/task-draft.js";
export type { ServiceStats, TaskServiceParts } from "./requests/task-service.js";
export * from "./requests/requests.js";
export { NodeBreakers } from "./node/node-breakers.js";
export { type Claim, NodeQueues } from "./pulling/node-queues.js";
export type { ClaimEnd } from "./pulling/claim-service.js";
export type { PulledClaim } from "./pulling/claim-tokens.js";
export { NodeSettings } from "./types/node-settings.js";
export type { SettingAnswer } from "./types/setting-service.js";
