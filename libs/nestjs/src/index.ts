export { openTracing, type TracingOptions } from "@tickwheel/observability";
export {
  type HalfOpenRange,
  MAX_PAYLOAD_BYTES,
  MAX_RANGES,
  type NamedEvent,
  NonRetryableError,
  type RangeCut,
  RetryAtError,
  splitRange,
  type TaskDeadEvent,
  type TaskFailedEvent,
  type TelemetryEvent,
  TickwheelError,
} from "@tickwheel/core";
export { dayBefore, dayIn, type InstantRange } from "@tickwheel/schedules";
export {
  type AnySchema,
  type BackfillFields,
  type BackfillInput,
  type BackoffInput,
  type BackoffSetting,
  type BatchFilterInput,
  type BatchOptions,
  type BatchView,
  type CancelledItem,
  type CancelledTask,
  type DeadlineInput,
  defineTask,
  type DeliverInput,
  drizzleTransactions,
  type DurationInput,
  type FollowUpItem,
  type FollowUpView,
  type InputOf,
  type ItemRejection,
  type JournalEntryView,
  type JournalInput,
  kyselyTransactions,
  type LatenessPartsFields,
  type ManagerOption,
  MAX_IDS,
  MAX_MEMBERS_OF_CALL,
  MAX_PAGE,
  type MemberFilterInput,
  type MemberItem,
  type OccurrenceInput,
  type PayloadClass,
  type PayloadOf,
  type PayloadRules,
  type PayloadSchema,
  pgTransactions,
  type PreviewFields,
  type PreviewInput,
  prismaTransactions,
  type RetriedItem,
  type ScheduleBackoff,
  type ScheduleFilterInput,
  type ScheduleRulesInput,
  type ScheduleRunsInput,
  type ScheduleRunView,
  type ScheduleView,
  type SchemaInput,
  type SchemaOutput,
  type SchemaTaskOptions,
  type TakenFromFields,
  type TaskChangesInput,
  type TaskDefaults,
  type TaskDefinition,
  type TaskDetails,
  type TaskFilterInput,
  type TaskItem,
  type TaskItemResult,
  type TaskOptions,
  type TaskResult,
  type TaskView,
  type TransactionAdapter,
} from "@tickwheel/calls";
export {
  ClusterCron,
  ClusterInterval,
  type ClusterIntervalOptions,
  type CodeScheduleOptions,
} from "./handlers/cluster-cron.decorators.js";
export type { DelayTaskAround, NextAround } from "./handlers/around.js";
export {
  type DelayTask,
  type DelayTaskContext,
  type DelayTaskEventDecorator,
  DelayTaskHandler,
  type DelayTaskHandlerDecorator,
  type DelayTaskHandlerOptions,
  type DelayTaskListenerOptions,
  type HandlesTasks,
  OnDelayTaskEvent,
  type SpawnItem,
} from "./handlers/delay-task.decorators.js";
export * from "./module/delay-task.health.js";
export { DelayTaskModule, type OpenNode, TICKWHEEL_OPTIONS } from "./module/delay-task.module.js";
export * from "./module/tokens.js";
export { DelayTaskNode } from "./node/delay-task.node.js";
export { openDelayTaskNode } from "./node/open-node.js";
export type {
  DelayTaskModuleAsyncOptions,
  DelayTaskModuleOptions,
  DelayTaskOptionsFactory,
} from "./node/delay-task.options.js";
export { FULL_SWEEP_INTERVAL_NAME, TICKWHEEL_SCHEDULER_REGISTRY } from "./module/delay-task.orchestrator.js";
export { type AddedMembers, DelayBatches, type MemberResult } from "./module/delay-batches.js";
export { DelaySchedules, type NewSchedule } from "./module/delay-schedules.js";
export * from "./module/delay-task.service.js";
